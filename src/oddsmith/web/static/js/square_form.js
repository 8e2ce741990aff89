// What happens on one square: the form beside the board.
import { choice, complain, field, fill, h } from "./dom.js";
import { EFFECTS } from "./effects.js";
import { icon } from "./icons.js";
import { squareAt, throwsOf, throwsText, withSquare } from "./edits.js";

const WORDS = [["", "nothing"], ...Object.entries(EFFECTS).map(([key, { says }]) => [key, says])];

/** Fill `room` with the form of a square. `edit(change, field)` makes a change of the tables, `soon(wait, act)` waits for the last letter. */
export function squareForm(room, board, number, { edit, soon, close }) {
  const { drawing, tables } = board;
  if (number === null) {
    fill(room, h("p", { class: "soft" }, "Choose a square on the board: click it, or walk with the arrow keys and press Enter."));
    return;
  }
  const start = number === drawing.start, finish = number === drawing.finish;
  const old = squareAt(tables, number);
  const head = h("div", { class: "row ends" }, h("h2", null, `Square ${number}`),
    h("button", { class: "quiet round", type: "button", "aria-label": "Close", onclick: close }, icon("close")));
  if (finish) {
    fill(room, head, h("p", { class: "soft" }, "The finish: who gets here has won. Its place is among the rules of the board."));
    return;
  }
  const effect = choice(start ? WORDS.slice(0, 1) : WORDS, old.effect);
  const goto = h("input", { type: "number", min: drawing.start, max: drawing.finish, inputmode: "numeric", value: old.effect === "goto" ? old.value : "" });
  const wait = h("input", { type: "number", min: 1, max: 100, inputmode: "numeric", value: old.effect === "wait" ? old.value : 1 });
  const until = h("input", { value: old.effect === "until" ? throwsText(old.value) : "6", autocomplete: "off", spellcheck: "false" });
  const name = h("input", { value: old.name, autocomplete: "off", maxlength: 40 });
  const share = h("input", { type: "checkbox", checked: old.share });
  const all = h("input", { type: "checkbox", checked: false });
  const fields = {
    effect: field("Who lands here must", effect), goto: field("Square to go to", goto), wait: field("Turns to rest", wait),
    until: field("Throws that free", until, { hint: "A total, double, or the dice: 6 or double or 3,6" }), name: field("Name", name),
  };
  const sharing = h("label", { class: "check" }, share, "any number of pieces may stand here");
  const together = h("label", { class: "check" }, all, `change all ${old.at.length} squares called ${old.name}`);

  function arrange() {
    fields.goto.hidden = effect.value !== "goto";
    fields.wait.hidden = effect.value !== "wait";
    fields.until.hidden = effect.value !== "until";
    sharing.hidden = effect.value !== "" && EFFECTS[effect.value].company !== "asked";
    together.hidden = old.at.length < 2;
  }
  function wanted() {
    const values = { goto: Number(goto.value), wait: Number(wait.value), until: throwsOf(until.value) };
    return { effect: effect.value, value: values[effect.value], name: name.value, share: share.checked };
  }
  function apply(source) {
    for (const each of Object.values(fields)) complain(each, null);
    arrange();
    if (effect.value === "goto" && goto.value === "") return; // the square to go to comes next
    const next = wanted();
    return edit((now) => withSquare(now, number, next, all.checked), fields[next.effect === "" ? "effect" : next.effect] ?? fields[source]);
  }
  const typed = soon(150, apply);
  effect.addEventListener("change", () => {
    apply("effect");
    if (effect.value === "goto" && goto.value === "") goto.focus();
  });
  for (const [which, control] of Object.entries({ goto, wait, until, name })) control.addEventListener("input", () => typed(which));
  share.addEventListener("change", () => apply("effect"));
  all.addEventListener("change", () => apply("effect"));
  arrange();
  fill(room, head, fields.effect, h("div", { class: "pair" }, fields.goto, fields.wait), fields.until, fields.name, sharing, together,
    (old.effect || old.name) && h("button", { class: "small", type: "button", onclick: () => edit((now) => withSquare(now, number, { effect: "", name: "", share: false }, all.checked), fields.effect, true) }, "Clear this square"));
}
