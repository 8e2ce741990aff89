// What the computer found about a board: odds, length, heat, and what differs from the original.
import { change, chip, distribution, lengthFacts, oddsTable, rowsOf } from "./chart.js";
import { fill, h } from "./dom.js";
import { amount, decimals } from "./words.js";

/** Show odds in `room`; `before` is what the original has. */
export function showOdds(room, found, before) {
  const { odds, how = [], method } = found;
  fill(room, oddsTable(rowsOf(odds), { before: before?.odds ? rowsOf(before.odds) : null }),
    odds.length && h("p", { class: "row length" }, h("span", null, h("b", { class: "worth" }, amount(odds.length, 2)), " throws on average"),
      before?.odds?.length && h("span", { class: "change" }, change(odds.length.value - before.odds.length.value))),
    h("details", { class: "how" }, h("summary", null, chip(method ?? "certified"), " how it was found"), h("ul", { class: "small" }, how.map((text) => h("li", null, text)))));
}

/** Show lengths in `room`. */
export function showLengths(room, found, before) {
  if (!found.lengths) return;
  fill(room, lengthFacts(found.lengths, before?.lengths), distribution(found.lengths, before?.lengths, Math.max(300, room.clientWidth || 560)));
}

/** Show what differs from the original, in words. */
export function showChanges(room, found, title) {
  const { changes = [] } = found;
  fill(room, changes.length
    ? [h("p", { class: "small" }, `Changed from ${title}:`), h("ul", { class: "changes" }, changes.map((text) => h("li", null, text)))]
    : h("p", { class: "soft" }, `The rules are those of ${title}. Change one and see what it does.`));
}

/** Heat for the board: visits or winning chances. */
export function heatOf(squares, kind, { start, finish }) {
  if (!squares || kind === "none") return null;
  const value = (square) => (kind === "visits" ? square.times : square.chance);
  const numbers = squares.map((square) => [square.number, value(square)]).filter(([, v]) => v !== null);
  const fixed = kind === "visits" ? start : finish; // all begin there, or have won there: it would outshine the rest
  const all = numbers.filter(([n]) => n !== fixed).map(([, v]) => v);
  const low = kind === "visits" ? 0 : Math.min(...all), high = Math.max(...all);
  const words = (v) => (kind === "visits" ? (v === 0 ? "0" : decimals(v, 2)) : decimals(100 * v, 1));
  return {
    what: kind === "visits" ? "visited" : "winning chance",
    values: new Map(numbers.map(([n, v]) => [n, high > low ? Math.min(1, (v - low) / (high - low)) : 0])),
    words: new Map(numbers.map(([n, v]) => [n, words(v)])),
    low: kind === "visits" ? "never" : `${decimals(100 * low, 1)} %`,
    high: kind === "visits" ? `${decimals(high, 2)} times a game` : `${decimals(100 * high, 1)} %`,
  };
}
