// Play: choose a game and who sits where; the match itself is in table.js.
import { game, games } from "./api.js";
import { choice, field, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { addressOf, matchOf } from "./match.js";
import { table } from "./table.js";

/** Show the choice of a game, of seats, or a match. */
export async function show(main, { path, query, signal }) {
  if (path.length < 2) return chooser(main);
  const card = await game(path[1]);
  const match = matchOf(query);
  if (match) return table(main, card, match, signal);
  seats(main, card);
}

async function chooser(main) {
  const all = await games();
  fill(main, h("h1", null, "Play"), h("p", { class: "lead" }, "Any game of the catalogue: against the best play there is, against a rule of thumb, or with another person at this screen."),
    h("ul", { class: "cards few" }, all.map((card) => h("li", { class: "card game" }, h("h2", null, h("a", { href: `#/play/${card.key}` }, card.title)), h("p", { class: "summary" }, card.summary)))));
}

function seats(main, card) {
  let players = card.players;
  const ways = [["person", "a person"], ...(card.decisions ? card.policies.map((each) => [each.name, `the computer: ${each.name}`]) : [["random", "the computer"]])];
  const number = h("input", { type: "number", min: card.fewest_players, max: Math.min(card.most_players, 8), value: players, inputmode: "numeric" });
  const chairs = h("div", { class: "pair chairs" });
  const best = card.policies.find((each) => each.name === "optimal")?.name ?? ways[1]?.[0];
  const sit = () => {
    const before = [...chairs.querySelectorAll("select")].map((select) => select.value);
    fill(chairs, Array.from({ length: players }, (_, at) => field(`Player ${at + 1}`, choice(ways, before[at] ?? (at === 0 ? "person" : best)))));
  };
  number.addEventListener("input", () => {
    const wanted = Number(number.value);
    if (Number.isInteger(wanted) && wanted >= card.fewest_players && wanted <= Math.min(card.most_players, 8)) {
      players = wanted;
      sit();
    }
  });
  const seed = h("input", { type: "number", min: 0, max: 2 ** 31, inputmode: "numeric", value: Math.floor(Math.random() * 1e6) });
  const options = card.options.filter((option) => option.name !== "players").map((option) => ({ option, input: control(option) }));
  const begin = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(options.filter(({ input }) => input.value.trim()).map(({ option, input }) => [option.name, input.value.trim()]));
    location.hash = addressOf(card.key, { seats: [...chairs.querySelectorAll("select")].map((select) => select.value), seed: Number(seed.value) || 0, moves: [], options: given, shows: new Set() });
  };
  sit();
  fill(main, h("p", { class: "small" }, h("a", { href: "#/play" }, "Play"), " / ", card.title), h("h1", null, card.title), h("p", { class: "lead" }, card.summary),
    h("form", { class: "card seats", onsubmit: begin },
      h("div", { class: "pair" }, card.fewest_players !== card.most_players && field("Players", number), field("Seed of the dice", seed, { hint: "The same seed throws the same dice." })),
      h("fieldset", null, h("legend", null, "Who sits where"), chairs),
      options.length > 0 && h("details", null, h("summary", null, "Options of the game"), h("div", { class: "pair" }, options.map(({ option, input }) => field(option.name, input, { hint: option.takes })))),
      h("button", { class: "main", type: "submit" }, icon("play"), "Begin")));
}

/** The control of an option; left as it is, the game's default holds. */
const control = ({ choices, default: usual }) => (choices.length
  ? choice([["", usual], ...choices.filter((each) => each !== usual).map((each) => [each, each])], "")
  : h("input", { value: "", placeholder: usual, autocomplete: "off" }));
