// An answer carries its question: a panel shows as fresh only what answers the question that stands beside it.
import { keyOf, Refused, stopped, work } from "./api.js";
import { fill, h } from "./dom.js";
import { progressBar, refusal } from "./progress.js";

const SOON = 350; // milliseconds until it is worth saying whose numbers are dimmed

/**
 * Panels about one question that changes. What shows the answer to another question is dimmed, and says whose it is in
 * the words of `whose(question)`. `room` holds the progress bar, refusals, and what is left when work is stopped;
 * `failed(error, question)` may show a mistake elsewhere and say so.
 */
export function desk(room, { signal, whose, failed = () => false }) {
  const panels = [];
  let stands = null; // the question beside the panels, or null while it is being changed
  let now = null; // the work under way
  let answered = null; // the question of which all is shown that is known
  let halted = null; // the question whose work was stopped, as long as it stands
  let timer = null;
  signal.addEventListener("abort", () => { clearTimeout(timer); now?.control.abort(); });

  /**
   * A panel: `has(result)` is whether its part is known, `show(result, job)` shows it, `hide()` shows nothing, and
   * `elements` are dimmed. What comes back is where it will say whose answer it shows.
   */
  function panel({ elements, has = () => true, show, hide = () => fill(elements[0]) }) {
    const note = h("p", { class: "whose small", hidden: true });
    panels.push({ elements, note, has, show, hide, of: null });
    return note;
  }
  const same = (one, other) => one !== null && other !== null && keyOf(one) === keyOf(other);
  const stale = (each) => each.of !== null && !same(each.of, stands);
  function mark() {
    for (const each of panels) {
      const old = stale(each);
      for (const element of each.elements) element.classList.toggle("stale", old);
      if (old) each.note.textContent = whose(each.of);
      else each.note.hidden = true;
    }
    clearTimeout(timer);
    if (panels.some(stale)) timer = setTimeout(() => panels.filter(stale).forEach((each) => { each.note.hidden = false; }), SOON);
  }
  /** Show what is known. When nothing more will come, a panel whose part is missing shows nothing: not what it had. */
  function take(question, job, whole) {
    for (const each of panels) {
      const known = each.has(job.result);
      if (!known && !whole) continue;
      if (known) each.show(job.result, job);
      else each.hide();
      each.of = known ? question : null;
    }
    answered = whole ? question : null;
    mark();
  }
  /** Let another question stand, or with null none; nothing is asked. */
  function stand(question) {
    stands = question;
    if (halted && !same(halted, question)) fill(room);
    if (!same(halted, question)) halted = null;
    mark();
  }
  /** Stop what is under way. */
  function stop() {
    now?.control.abort();
    now = halted = null;
    fill(room);
  }
  /** Let a question stand, and have it answered unless that is done or under way; anything else under way is stopped. */
  function ask(question) {
    stand(question);
    if (now && same(now.question, question)) return now.done;
    stop();
    if (same(answered, question)) return Promise.resolve(true);
    now = { question, control: new AbortController() };
    return (now.done = answer(now));
  }
  /** Whether an answer came. */
  async function answer(mine) {
    const { question, control } = mine;
    const bar = progressBar(() => control.abort());
    fill(room, bar.element);
    try {
      const job = await work(question, { signal: control.signal, watch(told) {
        bar.show(told);
        if (told.result) take(question, told, false);
      } });
      if (now !== mine) return false;
      now = null;
      take(question, job, true);
      return true;
    } catch (error) {
      if (now !== mine) return false;
      now = null;
      if (stopped(error)) {
        halted = question;
        fill(room, left(question));
      } else {
        if (!(error instanceof Refused)) console.error(error);
        if (!failed(error, question)) fill(room, refusal(error instanceof Refused ? error : new Refused()));
      }
      return false;
    } finally {
      bar.done();
    }
  }
  /** What is to be seen after a stop, and a way to go on. */
  function left(question) {
    const words = panels.some(stale) ? "What is dimmed answers another question." : panels.some((each) => each.of) ? "What was known by then is shown." : "";
    return h("p", { class: "row small" }, `Stopped. ${words}`, h("button", { class: "small", type: "button", onclick: () => ask(question) }, "Go on"));
  }
  return { panel, stand, ask, stop };
}
