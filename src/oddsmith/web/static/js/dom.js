// Elements from a few words: h("button", { class: "main", onclick }, "Throw").

const SVG = "http://www.w3.org/2000/svg";

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("aria-") && typeof value === "boolean") {
      element.setAttribute(name, String(value));
      continue;
    }
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** An HTML element. Properties are attributes; on… are listeners; vars are CSS custom properties. */
export const h = (tag, props, ...children) => filled(document.createElement(tag), props, children);

/** An SVG element. */
export const s = (tag, props, ...children) => filled(document.createElementNS(SVG, tag), props, children);

/** Put new content into an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** Make what is in a room anew; who is at a control there stays at it. */
export function inFocus(room, make) {
  const controls = () => [...room.querySelectorAll("input, select, button")];
  const at = controls().indexOf(document.activeElement);
  make();
  if (at >= 0) controls()[at]?.focus({ preventScroll: true });
}

let numbered = 0;
/** A name that no other element has. */
export const unique = (word) => `${word}-${++numbered}`;

/** A control with its label above it and room for a mistake below. */
export function field(label, control, { hint } = {}) {
  control.id ||= unique("field");
  const mistake = h("p", { class: "mistake", id: `${control.id}-mistake`, hidden: true });
  const element = h("div", { class: "field" }, h("label", { for: control.id }, label), control, hint && h("p", { class: "small" }, hint), mistake);
  element.control = control;
  return element;
}

/** Say what is wrong with a field's value, or with null that nothing is; without a field, nothing is said. */
export function complain(element, message) {
  if (!element) return;
  const { control } = element;
  const mistake = element.querySelector(".mistake");
  mistake.hidden = !message;
  mistake.textContent = message ?? "";
  control.toggleAttribute("aria-invalid", false);
  if (message) {
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", mistake.id);
  } else control.removeAttribute("aria-describedby");
}

/** A select of [value, words] pairs. */
export function choice(pairs, value, props = {}) {
  const options = pairs.map(([v, words]) => h("option", { value: v, selected: String(v) === String(value) }, words));
  return h("select", props, options);
}

/** Radio buttons in a row, of which one is pressed. */
export function segments(legend, pairs, value, onchange) {
  const name = unique("choice");
  return h("fieldset", { class: "segments" }, h("legend", { class: "unseen" }, legend),
    pairs.map(([v, words]) => h("label", null,
      h("input", { type: "radio", name, value: v, checked: v === value, onchange: () => onchange(v) }), h("span", null, words))));
}

/** Call `work` when `wait` milliseconds have passed without another call. */
export function later(wait, work) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), wait);
  };
}
