// Light, dark, or as the system has it: the choice is kept in this browser.
import { icon } from "./icons.js";
import { fill } from "./dom.js";

const NEXT = { auto: "dark", dark: "light", light: "auto" };
const WORDS = { auto: "as the system has them", dark: "dark", light: "light" };
const GLYPHS = { auto: "half", dark: "moon", light: "sun" };

/** The theme in force: light or dark. */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** Make a button change the theme. */
export function switchable(button) {
  const root = document.documentElement;
  const show = () => {
    const now = root.dataset.theme ?? "auto";
    fill(button, icon(GLYPHS[now]));
    button.setAttribute("aria-label", `Colours: ${WORDS[now]}`);
    button.title = `Colours: ${WORDS[now]}`;
  };
  button.addEventListener("click", () => {
    const next = NEXT[root.dataset.theme ?? "auto"];
    if (next === "auto") {
      delete root.dataset.theme;
      localStorage.removeItem("theme");
    } else {
      root.dataset.theme = next;
      localStorage.setItem("theme", next);
    }
    show();
  });
  show();
}
