// Icons as strokes in a box of 24 by 24.
import { s } from "./dom.js";
import { EFFECTS } from "./effects.js";

export const PATHS = {
  // what squares do
  ...Object.fromEntries(Object.entries(EFFECTS).map(([key, effect]) => [key, effect.icon])),
  start: "M5 12h12M12 6l6 6-6 6",
  finish: "M6 21V4M6 4h12l-3 4 3 4H6",
  "goto-forward": "M4 18C4 10 10 8 19 8M14 3l5 5-5 5",
  "goto-back": "M20 18C20 10 14 8 5 8M10 3 5 8l5 5",
  // what buttons do
  undo: "M8 5 3 10l5 5M3 10h11a5 5 0 0 1 0 10h-4",
  redo: "M16 5l5 5-5 5M21 10H10a5 5 0 0 0 0 10h4",
  download: "M12 4v11M7 11l5 5 5-5M4 20h16",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  close: "M6 6l12 12M18 6 6 18",
  play: "M8 5l11 7-11 7z",
  tools: "M4 20l9-9M15 4a5 5 0 0 0 5 6l-3 3-6-6 3-3z",
  page: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  die: "M4 4h16v16H4zM8.5 8.5h.01M15.5 8.5h.01M8.5 15.5h.01M15.5 15.5h.01M12 12h.01",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  half: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 3v18M12 7h6M12 12h9M12 17h6",
};

/** An icon for a button: it has no name of its own. */
export const icon = (name) =>
  s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));

const PIPS = [[], [4], [2, 6], [2, 4, 6], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/** Two dice that belong to a word: games without a board have an emblem too. */
export function emblem(word) {
  let hash = 7;
  for (const letter of word) hash = (hash * 31 + letter.codePointAt(0)) % 9973;
  const die = (x, y, turn, pips, ink) => s("g", { transform: `translate(${x} ${y}) rotate(${turn})`, class: `p${ink}` },
    s("rect", { class: "die", x: -15, y: -15, width: 30, height: 30, rx: 7 }),
    PIPS[pips].map((at) => s("circle", { class: "pip", cx: 8 * ((at % 3) - 1), cy: 8 * (Math.floor(at / 3) - 1), r: 2.9 })));
  return s("svg", { class: "emblem", viewBox: "0 0 120 64", "aria-hidden": "true" },
    die(40, 34, -14 + (hash % 9), 1 + (hash % 6), 1 + (hash % 5)),
    die(80, 31, 10 + (hash % 11), 1 + (Math.floor(hash / 6) % 6), 1 + ((hash + 2) % 5)));
}
