// Work that takes a while: how far it is, what is known so far, and a button that stops it.
import { h } from "./dom.js";
import { Refused, stopped, work } from "./api.js";
import { duration } from "./words.js";

/** A bar that shows a job; `stop` is called by its button. It appears only if the job takes a moment. */
export function progressBar(stop) {
  const bar = h("progress", { "aria-label": "Progress" });
  const words = h("p", { class: "words" });
  const element = h("div", { class: "progress", hidden: true }, bar, words, h("button", { class: "small", type: "button", onclick: stop }, "Cancel"));
  const timer = setTimeout(() => { element.hidden = false; }, 350);
  return {
    element,
    show(job) {
      const { stage, done, of, facts, seconds_left: left } = job.progress ?? {};
      if (of) {
        bar.max = of;
        bar.value = Math.min(done, of);
      } else bar.removeAttribute("value");
      const queue = job.status === "queued" && job.place_in_queue ? `number ${job.place_in_queue} in the queue` : null;
      words.textContent = [queue ?? stage ?? "starting", facts, left && `${duration(left)} left`].filter(Boolean).join(" · ");
    },
    done() {
      clearTimeout(timer);
      element.remove();
    },
  };
}

/** What the server refused, as a message. */
export const refusal = (error) => h("p", { class: "note-bad", role: "alert" }, error.message);

/**
 * Work whose newest request counts: a new one cancels the one before. `room` holds the progress bar and
 * any refusal; `partial(result)` sees what is known while the work goes on.
 */
export function worker(room, { signal } = {}) {
  let current = null;
  signal?.addEventListener("abort", () => current?.abort());
  async function start(request, { partial, ended } = {}) {
    current?.abort();
    const mine = (current = new AbortController());
    const bar = progressBar(() => mine.abort());
    room.replaceChildren(bar.element);
    try {
      return await work(request, { signal: mine.signal, ended, watch(job) {
        if (mine !== current) return;
        bar.show(job);
        if (job.result && partial) partial(job.result);
      } });
    } catch (error) {
      if (!stopped(error) && !(error instanceof Refused)) console.error(error);
      if (mine === current && !stopped(error)) room.append(error instanceof Refused ? refusal(error) : refusal(new Refused()));
      if (mine === current && stopped(error) && !signal?.aborted) room.append(h("p", { class: "small" }, "Stopped."));
      throw error;
    } finally {
      bar.done();
    }
  }
  return { start, stop: () => current?.abort() };
}
