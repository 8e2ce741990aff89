// The catalogue: every game with its board or emblem, its first line of rules and its headline odds.
import { games, game, lane, stopped, work } from "./api.js";
import { drawBoard } from "./board.js";
import { chip, rowsOf, sharesBar } from "./chart.js";
import { choice, fill, h, later } from "./dom.js";
import { emblem } from "./icons.js";
import { remember } from "./route.js";
import { amount, percent, plural } from "./words.js";

const inTurn = lane(3);

/** Headline odds in a few words, with a bar. */
export function headline(odds) {
  const certain = odds.win?.length === 1 && odds.win[0].value === 1; // alone, one always gets there
  const rows = certain ? [] : rowsOf(odds);
  const scores = (odds.score ?? []).filter(Boolean);
  const words = rows.length
    ? rows.map((row) => h("span", { class: row.ink }, h("span", { class: "dot", "aria-hidden": "true" }), ` ${row.name.toLowerCase()} `, h("b", null, percent(row.answer, 2))))
    : scores.map((answer) => h("span", null, "expected score ", h("b", null, amount(answer, 2))));
  if (!words.length && odds.length) words.push(h("span", null, h("b", null, amount(odds.length, 2)), " moves on average"));
  const many = words.length > 4 ? [...words.slice(0, 3), h("span", null, `and ${words.length - 3} more`)] : words;
  return [rows.length > 0 && sharesBar(rows), h("p", { class: "shortly" }, many),
    h("p", { class: "row small" }, chip(odds.method), odds.play && h("span", null, `if everybody plays ${odds.play}`), odds.length && !certain && h("span", null, `${amount(odds.length, 1)} moves on average`))];
}

/** Show the catalogue in `main`. */
export async function show(main, { signal, query }) {
  const all = [...(await games())].sort((a, b) => Number(b.board) - Number(a.board));
  const input = h("input", { type: "search", id: "find", placeholder: "Find a game", value: query.get("find") ?? "", autocomplete: "off" });
  const sort = choice([["all", "All games"], ["board", "Boards"], ["decisions", "Somebody chooses"], ["chance", "Pure chance"]], query.get("kind") ?? "all", { id: "kind" });
  const list = h("ul", { class: "cards" });
  const found = h("p", { class: "unseen", role: "status" });
  const none = h("p", { class: "soft", hidden: true }, "No game of the catalogue is like that.");
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((each) => each.isIntersecting)) {
      seen.unobserve(entry.target);
      entry.target.wake();
    }
  }, { rootMargin: "120px" });
  signal.addEventListener("abort", () => seen.disconnect());
  const cards = all.map((card) => ({ card, element: cardOf(card, signal) }));

  function filter() {
    const text = input.value.trim().toLowerCase();
    const kind = sort.value;
    const fits = ({ card }) => `${card.key} ${card.title} ${card.summary}`.toLowerCase().includes(text)
      && (kind === "all" || (kind === "board" && card.board) || (kind === "decisions" && card.decisions) || (kind === "chance" && !card.decisions));
    const chosen = cards.filter(fits);
    fill(list, chosen.map(({ element }) => element));
    none.hidden = chosen.length > 0;
    found.textContent = `${chosen.length} games`;
  }
  function chosen() {
    filter();
    if (!signal.aborted) remember([], { find: input.value.trim(), kind: sort.value === "all" ? "" : sort.value }); // for the way back
  }
  input.addEventListener("input", later(80, chosen));
  sort.addEventListener("change", chosen);
  filter();
  fill(main,
    h("section", { class: "hero" }, h("h1", null, "What are the odds?"),
      h("p", { class: "lead" }, "Pick a game, change a rule, and watch the odds move. Every number says how well it is known: a fraction, an interval that holds the truth, or an estimate.")),
    h("form", { class: "row filters", role: "search", onsubmit: (event) => event.preventDefault() },
      h("div", { class: "grow" }, h("label", { class: "unseen", for: "find" }, "Find a game"), input),
      h("div", null, h("label", { class: "unseen", for: "kind" }, "Which games"), sort)),
    found, none, list);
  cards.forEach(({ element }) => seen.observe(element));
}

function cardOf(card, signal) {
  const picture = h("div", { class: "picture" }, card.board ? null : emblem(card.key));
  const odds = h("div", { class: "headline", "aria-busy": "true" }, h("p", { class: "small" }, "The odds come when somebody looks …"));
  const players = plural(card.players, "player") + (card.most_players > card.players ? " or more" : "");
  const element = h("li", { class: "card game", "data-key": card.key }, picture,
    h("h2", null, h("a", { href: `#/games/${card.key}` }, card.title)),
    h("p", { class: "summary" }, card.summary),
    odds,
    h("p", { class: "row tags" }, h("span", { class: "chip" }, players), h("span", { class: "chip" }, card.decisions ? "somebody chooses" : "pure chance")));
  element.wake = () => {
    if (card.board) game(card.key).then(({ board_file: board }) => fill(picture, drawBoard(board.drawing, { label: `The board of ${card.title}` }).element)).catch(() => {});
    fill(odds, h("p", { class: "small" }, "Computing the odds …"));
    inTurn(() => work({ kind: "headline", game: card.key }, { signal }))
      .then(({ result }) => fill(odds, headline(result)))
      .catch((error) => { if (!stopped(error)) fill(odds, h("p", { class: "small" }, error.message)); })
      .finally(() => odds.removeAttribute("aria-busy"));
  };
  return element;
}
