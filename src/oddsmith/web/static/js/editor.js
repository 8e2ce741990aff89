// A text with numbered lines, in which a mistake can be marked.
import { fill, h, unique } from "./dom.js";

/** An editor: { element, value, onedit, mark(place), clear() }. */
export function textEditor(label, text, { rows = 16, oninput } = {}) {
  const id = unique("text");
  const lines = h("div", { class: "lines", "aria-hidden": "true" });
  const area = h("textarea", { id, rows, wrap: "off", spellcheck: "false", autocapitalize: "off", autocomplete: "off", value: text });
  const room = h("div", { role: "alert" });
  let wrong = null;
  const number = () => {
    const many = area.value.split("\n").length;
    fill(lines, Array.from({ length: many }, (_, at) => h("b", { class: at + 1 === wrong ? "wrong" : "" }, String(at + 1))));
    lines.scrollTop = area.scrollTop;
  };
  const clear = () => {
    wrong = null;
    area.removeAttribute("aria-invalid");
    fill(room);
    number();
  };
  area.addEventListener("input", () => {
    if (wrong) clear();
    number();
    oninput?.(area.value);
  });
  area.addEventListener("scroll", () => { lines.scrollTop = area.scrollTop; });
  number();
  return {
    element: h("div", { class: "field" }, h("label", { for: id }, label), room, h("div", { class: "editor" }, lines, area)),
    get value() { return area.value; },
    set value(next) { area.value = next; clear(); },
    get edited() { return document.activeElement === area; },
    clear,
    /** Mark the place of a mistake, scroll to it and show it with a caret. */
    mark(message, place, { move = true } = {}) {
      wrong = place?.line ?? null;
      area.setAttribute("aria-invalid", "true");
      number();
      const line = wrong ? area.value.split("\n")[wrong - 1] ?? "" : "";
      const where = wrong ? `Line ${wrong}${place.column ? `, column ${place.column}` : ""}: ` : "";
      fill(room, h("p", { class: "mistake" }, where, message),
        wrong && place.column && h("pre", { class: "caret" }, `${line}\n${" ".repeat(place.column - 1)}^`));
      if (!wrong || !move) return;
      const before = area.value.split("\n").slice(0, wrong - 1).join("\n").length + (wrong > 1 ? 1 : 0);
      const at = before + Math.max(0, (place.column ?? 1) - 1);
      area.focus({ preventScroll: true });
      area.setSelectionRange(at, place.column ? at + 1 : before + line.length);
      area.scrollTop = Math.max(0, (wrong - 4) * (area.scrollHeight / area.value.split("\n").length));
    },
  };
}
