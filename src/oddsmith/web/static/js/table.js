// The table at which a match is played: position, moves, log, and on request odds, advice and regret.
import { desk } from "./answers.js";
import { keyOf } from "./api.js";
import { drawBoard } from "./board.js";
import { oddsTable, rowsOf } from "./chart.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { addressOf } from "./match.js";
import { amount, decimals, percent, plural } from "./words.js";

/** "player 1: 5, player 2: 0" with the ink of each player. */
const byPlayer = (text) => text.split(/, (?=player \d+: )/).map((part) => {
  const player = part.match(/^player (\d+): (.*)$/s);
  return player ? h("span", { class: `each p${((player[1] - 1) % 8) + 1}` }, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "unseen" }, `player ${player[1]}: `), ` ${player[2]}`) : part;
});

/** Show a match in `main`; it lives in the address. */
export function table(main, card, match, signal) {
  const { shows } = match;
  let now = null, reached = null, drawn = null; // the position that is shown, how it was asked for, and its board
  let going = null; // the match that is gone to
  let told = []; // its moves, as far as they are in the log
  const status = h("p", { class: "turn", role: "status" });
  const moves = h("div", { class: "moves", role: "group", "aria-label": "Moves" });
  const position = h("dl", { class: "facts position" });
  const log = h("ol", { class: "log", "aria-live": "polite", "aria-label": "What happened" });
  const stage = h("div", { class: "stage" });
  const extra = h("div", { class: "stack" });
  const room = h("div"), later = h("div");
  const place = h("div", { class: "stack" }, status, stage, position, moves);
  const playing = desk(room, { signal, whose: ({ moves: made }) => `The position after ${plural(made.length, "move")}, before what comes now.` });
  const studying = desk(later, { signal, whose: ({ moves: made }) => `These are the numbers of another position: after ${plural(made.length, "move")}.` });
  const persons = match.seats.filter((seat) => seat === "person").length;
  const who = (player) => (persons === 1 && match.seats[player - 1] === "person" ? "You" : match.seats.length === 1 ? "You" : `Player ${player}`);

  const toggle = (name, words, letter) => h("button", { class: "small", type: "button", "aria-pressed": shows.has(name), "data-key": letter, onclick: (event) => {
    if (shows.has(name)) shows.delete(name);
    else shows.add(name);
    event.currentTarget.setAttribute("aria-pressed", shows.has(name));
    remember();
    study();
  } }, words, " ", h("kbd", { "aria-hidden": "true" }, letter));
  const undo = h("button", { class: "small", type: "button", "data-key": "u", onclick: takeBack }, icon("undo"), "Take back ", h("kbd", { "aria-hidden": "true" }, "u"));
  fill(main,
    h("div", { class: "row ends head" }, h("h1", null, card.title), h("div", { class: "row tight", role: "toolbar", "aria-label": "The match" },
      toggle("odds", "Odds", "o"), card.decisions && toggle("advice", "Advice", "a"), card.decisions && toggle("review", "Regret", "r"), undo,
      h("a", { class: "button small", href: `#/play/${card.key}` }, "New game"))),
    h("div", { class: `match ${card.board ? "" : "boardless"}` },
      h("section", { class: "card now", "aria-label": "The game" }, room, playing.panel({ elements: [place, log], show: seen }), place),
      h("section", { class: "card asked", "aria-label": "Odds and advice", hidden: true }, studying.panel({ elements: [extra], show: studied }), extra, later),
      h("section", { class: "card told" }, h("h2", null, "Moves so far"), log)));

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
    const button = main.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button || button.disabled || event.repeat) return;
    event.preventDefault();
    button.click();
  }, { signal });

  const remember = () => history.replaceState(null, "", addressOf(card.key, match));
  const request = ({ seed, moves: made }, asks) => ({ kind: "play", game: card.key, players: match.seats.length, options: match.options, seats: match.seats, seed,
    moves: made, advice: false, odds: false, review: false, ...asks });

  /** Go to another match, such as this one with a move more; if it is not come to, this one stays. */
  async function go(next) {
    const mine = (going = next);
    for (const button of moves.querySelectorAll("button")) button.disabled = true;
    studying.stop();
    studying.stand(null);
    const came = await playing.ask(request(next));
    if (mine !== going || signal.aborted) return;
    if (!now) return fill(moves, h("button", { type: "button", class: "main", onclick: () => go(next) }, "Try again"));
    playing.stand(reached);
    if (!came && !room.firstChild) fill(room, h("p", { class: "small" }, "Stopped: the match stays as it was."));
    draw();
    study();
  }
  /** A position has been come to: it is the match now. */
  function seen(result, { request: asked }) {
    now = result;
    reached = request(asked);
    Object.assign(match, { seed: now.seed, moves: now.moves });
    remember();
  }
  function takeBack() {
    let last = match.moves.length - 1;
    const mine = (number) => match.seats[(now.steps.find((step) => step.number === number + 1)?.player ?? 1) - 1] === "person";
    while (last > 0 && !mine(last)) last -= 1;
    if (last >= 0) go({ ...match, moves: match.moves.slice(0, last) });
  }

  function draw() {
    if (now.board) {
      if (!drawn || keyOf(drawn.of) !== keyOf(now.board.drawing)) { // the board as it is played, with its options
        drawn = { ...drawBoard(now.board.drawing, { label: `The board of ${card.title}` }), of: now.board.drawing };
        fill(stage, drawn.element);
      }
      drawn.show({ tokens: now.board.tokens });
    }
    fill(position, now.position.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, byPlayer(value)))));
    const common = told.findIndex((step, at) => keyOf(step) !== keyOf(now.steps[at] ?? null));
    const same = common < 0 ? told.length : common; // what is told already is not told again
    while (log.children.length > same) log.lastChild.remove();
    log.append(...now.steps.slice(same).map(line));
    told = now.steps;
    log.scrollTop = log.scrollHeight;
    undo.disabled = match.moves.length === 0;
    if (now.over || now.endless) return ended();
    status.textContent = who(now.mover) === "You" ? "Your move" : `${who(now.mover)} to move`;
    status.className = `turn p${((now.mover - 1) % 8) + 1}`;
    fill(moves, now.legal.map(({ move, says }, at) => h("button", { class: "main move", type: "button", "data-key": at < 9 ? String(at + 1) : undefined, onclick: () => go({ ...match, moves: [...match.moves, move] }) },
      h("span", { class: "does" }, move, at < 9 && now.legal.length > 1 && h("kbd", { "aria-hidden": "true" }, String(at + 1))), says && now.legal.length > 1 && h("span", { class: "says" }, says))));
    if (document.activeElement === document.body || document.activeElement.id === "main") moves.querySelector("button")?.focus({ preventScroll: true });
  }
  const line = (step) => h("li", { class: `p${((step.player - 1) % 8) + 1}` }, h("span", { class: "dot", "aria-hidden": "true" }), " ", h("b", null, who(step.player)), ` ${step.move}`,
    step.roll && h("span", { class: "chip" }, step.roll), h("span", { class: "soft" }, ` ${step.words}`));

  function ended() {
    const names = now.winners.map(who);
    const points = now.scores.map((score, at) => `${who(at + 1)} ${decimals(score, Number.isInteger(score) ? 0 : 2)}`).join(", ");
    const won = names.length === 0 ? (match.seats.length === 1 ? "The game is lost." : "A draw.") : names.join(" and ") + (names.length === 1 && names[0] !== "You" ? " wins." : " win.");
    const result = now.endless ? "Nobody can ever move again: a draw." : scored && match.seats.length === 1 ? "" : won;
    status.textContent = [points && (match.seats.length === 1 ? `${points.replace("You", "You score")}.` : `Scores: ${points}.`), result, `${plural(match.moves.length, "move")}.`].filter(Boolean).join(" ");
    status.className = "turn over";
    fill(moves, h("button", { class: "main", type: "button", onclick: () => go({ seed: match.seed + 1, moves: [] }) }, icon("restart"), "Play again"));
    if (card.decisions && persons) {
      shows.add("review");
      main.querySelector('[data-key="r"]')?.setAttribute("aria-pressed", "true");
    }
  }

  // Odds, advice, regret -------------------------------------------------------------------
  function study() {
    extra.parentElement.hidden = shows.size === 0;
    if (!now) return;
    if (!shows.size) return studying.stop();
    studying.ask(request(match, Object.fromEntries(["odds", "advice", "review"].map((name) => [name, shows.has(name)]))));
  }
  function studied(answer, { request: asked }) {
    fill(extra, !answer.over && asked.odds && outlook(answer), !answer.over && asked.advice && advice(answer), asked.review && review(answer));
  }
  const worth = (answer, digits) => (scored ? amount(answer, digits) : percent(answer, digits));
  const scored = card.score;

  function outlook({ odds }) {
    if (!odds) return null;
    const rows = rowsOf({ win: odds.worth, draw: odds.draw }).map((row) => {
      const number = row.name.match(/^Player (\d+)$/);
      return number ? { ...row, name: who(Number(number[1])) } : row;
    });
    const left = odds.left && h("p", { class: "small" }, `Another ${amount(odds.left, 1)} moves on average.`);
    return h("section", { class: "stack" }, h("h2", null, "Odds from here"), scored ? odds.worth.map((answer) => answer && h("p", null, `Expected score ${amount(answer)}`)) : oddsTable(rows, { caption: "Odds from here" }), left);
  }
  function advice(answer) {
    const list = answer.advice;
    if (!list?.length) return h("section", null, h("h2", null, "Advice"), h("p", { class: "soft" }, "There is nothing to decide here."));
    return h("section", { class: "stack" }, h("h2", null, "Advice"), h("table", null, h("thead", null, h("tr", null, ["Move", "Worth", "Costs"].map((name, at) => h("th", { scope: "col", class: at ? "number" : "" }, name)))),
      h("tbody", null, list.map((each) => h("tr", { class: each.best ? "best" : "" }, h("th", { scope: "row" }, each.move, each.best && h("span", { class: "chip exact" }, "best")),
        h("td", { class: "number" }, worth(each.worth, 3)), h("td", { class: "number" }, each.best ? "" : cost(each.loss)))))));
  }
  const cost = (loss) => (loss < 1e-9 ? "nothing" : scored ? `${decimals(loss, 3)} points` : `${Number((100 * loss).toPrecision(3))} pp`);
  function review({ review: found }) {
    if (!found) return null;
    const { decisions, mistakes } = found;
    return h("section", { class: "stack", "data-part": "review" }, h("h2", null, "Regret"),
      h("p", null, decisions === 0 ? "No decision so far." : mistakes.length === 0 ? `${plural(decisions, "decision")}, every one the best.` : `${plural(decisions, "decision")}, ${plural(mistakes.length, "mistake")}: ${mistakes.length === 1 ? "it costs" : "they cost"} ${cost(found.cost)}${mistakes.length === 1 ? "" : " in all"}.`),
      mistakes.length > 0 && h("ol", { class: "mistakes" }, mistakes.slice(-12).map((each) => h("li", { value: each.number }, h("b", null, `${who(each.player)} ${each.move}`), `: ${each.better} is better by ${cost(each.loss)}. `, h("span", { class: "soft" }, each.position.map(([name, value]) => `${name} ${value}`).join(", "))))));
  }

  go(match);
}
