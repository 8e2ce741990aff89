// Changes of a board, as pure functions from its tables to new tables.

import { keyOf } from "./api.js";
import { EFFECTS } from "./effects.js"; // made by the server: rules/board/effects.py


/** The key of a number in a table: see api.js. */
const key = (number) => `${number} `;
const list = (value) => (Array.isArray(value) ? value : [value]);
const one = (numbers) => (numbers.length === 1 ? numbers[0] : [...numbers].sort((a, b) => a - b));

/** What a square is: { name, effect, value, share, at } with all squares of its name. */
export function squareAt(tables, number) {
  for (const [name, table] of Object.entries(tables.squares ?? {})) {
    const at = list(table.at);
    if (!at.includes(number)) continue;
    const effect = Object.keys(EFFECTS).find((word) => word in table && table[word] !== false) ?? "";
    return { name, effect, value: table[effect], share: table.share === true, at };
  }
  const goto = tables.jumps?.[key(number)];
  return { name: "", effect: goto === undefined ? "" : "goto", value: goto, share: false, at: [number] };
}

function tableOf(at, { effect, value, share }) {
  const table = { at: one(at) };
  if (effect) table[effect] = EFFECTS[effect].needs === "nothing" ? true : value;
  if (share && EFFECTS[effect]?.company !== "never") table.share = true;
  return table;
}
const rule = (table) => JSON.stringify({ ...table, at: 0 });

/** The tables with another square; `all`: for every square of its name. */
export function withSquare(tables, number, wanted, all = false) {
  const next = structuredClone(tables);
  next.squares ??= {};
  next.jumps ??= {};
  const old = squareAt(next, number);
  const at = all ? old.at : [number];
  const rest = old.at.filter((each) => !at.includes(each));
  const made = tableOf(at, wanted);
  const name = wanted.name.trim() || (wanted.effect && wanted.effect !== "goto" ? EFFECTS[wanted.effect].called : wanted.share ? "place" : "");

  if (!old.name) delete next.jumps[key(number)];
  if (!name) {
    if (old.name) settle(next, old.name, rest);
    if (wanted.effect === "goto") for (const each of at) next.jumps[key(each)] = wanted.value;
  } else if (old.name === name && !rest.length) {
    next.squares[name] = made;
  } else {
    if (old.name && !rest.length) renamed(next, old.name, name, made);
    else if (old.name) settle(next, old.name, rest);
    join(next, name, at, made, number);
  }
  if (!Object.keys(next.jumps).length) delete next.jumps;
  if (!Object.keys(next.squares).length) delete next.squares;
  return next;
}

/** Leave a name to the squares that keep it. */
function settle(tables, name, at) {
  if (at.length) tables.squares[name].at = one(at);
  else delete tables.squares[name];
}

/** Give a line of [squares] another name at its place; if the name is taken, the line goes. */
function renamed(tables, old, name, made) {
  const taken = name in tables.squares;
  tables.squares = Object.fromEntries(Object.entries(tables.squares)
    .filter(([each]) => !taken || each !== old)
    .map(([each, table]) => (each === old ? [name, made] : [each, table])));
}

/** Put squares under a name: with others if the rule is the same, else under a name of their own. */
function join(tables, name, at, made, number) {
  const there = tables.squares[name];
  if (there === made) return;
  if (!there) tables.squares[name] = made;
  else if (rule(there) === rule(made)) there.at = one([...new Set([...list(there.at), ...at])]);
  else tables.squares[`${name} ${number}`] = made;
}

/** The tables with another entry of [board]; undefined takes it away. */
export function withBoard(tables, entry, value) {
  const next = structuredClone(tables);
  if (value === undefined) delete next.board[entry];
  else next.board[entry] = value;
  return next;
}

/** Whether two boards have the same rules but for the number of players; the order of first throws is a rule. */
export const sameRules = (one, other) => {
  const rules = (tables) => keyOf({ ...withBoard(tables, "players"), "first-throw": Object.entries(tables["first-throw"] ?? {}) });
  return rules(one) === rules(other);
};

/** The first throws in order: [{ throw, goto, free }]. */
export const firstThrows = (tables) => Object.entries(tables["first-throw"] ?? {}).map(([words, to]) => (
  typeof to === "object" ? { throw: words.trim(), goto: to.goto, free: to.free } : { throw: words.trim(), goto: to }));

/** The tables with other first throws. */
export function withFirstThrows(tables, throws) {
  const next = structuredClone(tables);
  delete next["first-throw"];
  if (throws.length) {
    next["first-throw"] = Object.fromEntries(throws.map((each) => [
      /^\d+$/.test(each.throw) ? key(each.throw) : each.throw,
      each.free === undefined ? each.goto : { goto: each.goto, free: each.free },
    ]));
  }
  return next;
}

/** Throws as one writes them, "double or 7 or 3,6", as a board file has them. */
export const throwsOf = (text) => {
  const found = text.split(/\s+or\s+|;/).map((part) => part.trim()).filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return found.length === 1 ? found[0] : found;
};
export const throwsText = (value) => list(value ?? []).join(" or ");

/** Dice as text, however the file writes them. */
export const diceText = (dice = "d6") => (typeof dice === "string" ? dice
  : `${(dice.number ?? 1) === 1 ? "" : dice.number}d[${(dice.faces ?? [1, 2, 3, 4, 5, 6]).join(",")}]`);

/** A board to begin with. */
export const BLANK = `[board]
name      = "A board of my own"
finish    = 30
dice      = "d6"
overshoot = "bounce"
occupied  = "share"
`;
