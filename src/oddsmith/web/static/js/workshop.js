// The workshop: a board is changed by hand, and its odds follow.
import { ask, game, games, Refused, stopped } from "./api.js";
import { drawBoard } from "./board.js";
import { asTable, rowsOf } from "./chart.js";
import { complain, fill, h, later, segments } from "./dom.js";
import { BLANK } from "./edits.js";
import { textEditor } from "./editor.js";
import { heatOf, showChanges, showLengths, showOdds } from "./findings.js";
import { emblem, icon } from "./icons.js";
import { worker } from "./progress.js";
import { remember } from "./route.js";
import { rulesForm } from "./rules_form.js";
import { copyAddress, download, packed, unpacked } from "./share.js";
import { squareForm } from "./square_form.js";
import { decimals, percent } from "./words.js";

/** Show the workshop, or the choice of a board to begin with. */
export async function show(main, { path, query, signal }) {
  if (path.length < 2) return chooser(main);
  const shared = path[1].startsWith("~");
  const key = shared ? query.get("of") : path[1];
  const origin = await originOf(key);
  const text = shared ? await unpacked(path[1].slice(1)) : origin.text;
  if (text === null) throw new Refused({ message: "The address holds no board: it may have been cut off." });
  const players = query.get("n") ? Number(query.get("n")) : undefined;
  const first = await read({ text, players }, signal);
  workshop(main, origin ?? { key: null, title: first.title, text }, first, signal);
}

const read = (body, signal) => ask("/api/boards", { method: "POST", body, signal });

/** Read a board; variants that no longer fit what is played are left out. */
async function readFitting(body, signal) {
  try {
    return { next: await read(body, signal), told: "" };
  } catch (error) {
    if (!body.tables?.variants || !/\bvariant\b/i.test(error.message)) throw error;
    const { variants, ...tables } = body.tables;
    return { next: await read({ ...body, tables }, signal), told: "The variants of the file no longer fit this board: they were left out." };
  }
}

async function originOf(key) {
  if (!key) return null;
  if (key === "blank") return { key, title: "the blank board", text: BLANK };
  const card = await game(key);
  if (!card.board_file) throw new Refused({ message: `${card.title} is no board: the workshop has boards only.` });
  return { key, title: card.title, text: card.board_file.text };
}

async function chooser(main) {
  const boards = (await games()).filter((card) => card.board);
  const item = (key, title, says, picture) => h("li", { class: "card game" }, picture, h("h2", null, h("a", { href: `#/workshop/${key}` }, title)), h("p", { class: "summary" }, says));
  fill(main, h("h1", null, "Board workshop"), h("p", { class: "lead" }, "Begin with a board, change a square, a die or a rule, and see what it does to the odds."),
    h("ul", { class: "cards" }, boards.map((card) => {
      const picture = h("div", { class: "picture" });
      game(card.key).then(({ board_file: board }) => fill(picture, drawBoard(board.drawing, { label: `The board of ${card.title}` }).element)).catch(() => {});
      return item(card.key, card.title, card.summary, picture);
    }), item("blank", "A blank board", "Thirty squares, one die, and whatever you make of it.", h("div", { class: "picture" }, emblem("blank")))));
}

function workshop(main, origin, first, signal) {
  let board = first, squares = null, heat = "none", selected = null, drawn = null;
  const past = [], future = [];

  // Places on the page
  const title = h("h1");
  const stage = h("div", { class: "stage" }), ramp = h("div", { class: "ramp", hidden: true }), numbers = h("div");
  const odds = h("div", { class: "stack", role: "status", "aria-live": "polite" }), lengths = h("div", { class: "stack" }), changes = h("div", { class: "stack" });
  const room = h("div", { class: "stack" });
  const message = h("div", { role: "alert" }), said = h("p", { class: "small", role: "status" });
  const squarePanel = h("div", { class: "stack", role: "tabpanel", id: "panel-square", "aria-labelledby": "tab-square", tabindex: -1 });
  const rulesPanel = h("div", { class: "stack", role: "tabpanel", id: "panel-rules", "aria-labelledby": "tab-rules" });
  const textPanel = h("div", { class: "stack", role: "tabpanel", id: "panel-text", "aria-labelledby": "tab-text" });
  const panels = { square: squarePanel, rules: rulesPanel, text: textPanel };
  const jobs = worker(room, { signal });
  const editor = textEditor("The board file", board.text, { rows: 18, oninput: later(400, () => commit({ text: editor.value }, { from: "text" })) });
  textPanel.append(editor.element);

  const button = (name, glyph, act, extra = {}) => h("button", { class: "small", type: "button", onclick: act, ...extra }, icon(glyph), h("span", null, name));
  const undo = button("Undo", "undo", () => travel(past, future)), redo = button("Redo", "redo", () => travel(future, past));
  const tabs = tablist({ square: "Square", rules: "Rules", text: "Text" }, panels);
  const strip = h("p", { class: "strip shortly", "aria-hidden": "true" });
  const editing = h("section", { class: "card editing", "aria-label": "Edit the board" }, strip, tabs.element, squarePanel, rulesPanel, textPanel);

  fill(main,
    h("div", { class: "row ends head" }, title, h("div", { class: "row tight", role: "toolbar", "aria-label": "The board" }, undo, redo,
      button("Reset", "restart", () => commit({ text: origin.text }, { from: "reset" })),
      button("Download", "download", () => download(`${fileName(board.title)}.toml`, board.text)),
      button("Copy link", "link", async () => { said.textContent = (await copyAddress()) ? "The link was copied: it holds the whole board." : "The link is in the address bar: it holds the whole board."; }),
      h("a", { class: "button small", href: "#/workshop" }, "Other board"))),
    message,
    h("div", { class: "bench-of-board" },
      h("section", { class: "card table", "aria-label": "The board" },
        h("div", { class: "row ends" }, segments("Colours of the squares", [["none", "Effects"], ["visits", "Visits"], ["chance", "Winning chance"]], heat, (kind) => { heat = kind; paint(); }), ramp),
        stage, numbers),
      h("div", { class: "side" },
        h("section", { class: "card results" }, h("h2", null, "Odds"), odds, room),
        editing),
      h("section", { class: "card longer" }, h("h2", null, "Length"), lengths),
      h("section", { class: "card compare" }, h("h2", null, "Compared with the original"), changes)),
    said);

  // Changes ------------------------------------------------------------------------------
  let asking = null;
  /** Take a board if the server does: whether it did, or null if another change came first. */
  async function commit(body, { from, field, refill = true } = {}) {
    asking?.abort();
    asking = new AbortController();
    const { signal: mine } = asking;
    try {
      const { next, told } = await readFitting({ players: board.players, ...body }, mine);
      if (next.text === board.text && next.players === board.players) {
        settled(from);
        return true;
      }
      past.push(board);
      future.length = 0;
      board = next;
      settled(from, refill);
      said.textContent = told;
      redraw();
      compute();
      return true;
    } catch (error) {
      if (stopped(error) || signal.aborted) return null;
      fill(message, h("p", { class: "note-bad" }, error.message));
      if (field) complain(field, error.message);
      if (from === "text") editor.mark(error.message, error.place, { move: false });
      return false;
    }
  }
  /** After an edit that holds: no complaints, and all forms but the one it came from are made anew. */
  function settled(from, refill = true) {
    fill(message);
    said.textContent = "";
    editor.clear();
    if (from !== "text") editor.value = board.text;
    if (from !== "square" || !refill) makeSquare();
    if (from !== "rules" || !refill) makeRules();
    undo.disabled = !past.length;
    redo.disabled = !future.length;
  }
  function travel(source, target) {
    if (!source.length) return;
    target.push(board);
    board = source.pop();
    settled("travel");
    redraw();
    compute();
  }
  const edit = (from) => (change, field, again = false) => commit({ tables: change(board.tables) }, { from, field, refill: !again });
  const setPlayers = later(150, (players, field) => { complain(field, null); commit({ text: board.text, players }, { from: "rules", field }); });

  // Pictures -----------------------------------------------------------------------------
  function makeSquare() {
    squareForm(squarePanel, board, selected, { edit: edit("square"), close: () => pick(null) });
  }
  function makeRules() {
    rulesForm(rulesPanel, board, { edit: edit("rules"), setPlayers });
  }
  function pick(number) {
    const before = selected;
    selected = number;
    drawn.show({ chosen: number });
    editing.classList.toggle("sheet", number !== null);
    makeSquare();
    if (number === null) return drawn.focus(before);
    tabs.open("square");
    const box = stage.querySelector(`[data-number="${number}"]`).getBoundingClientRect();
    if (matchMedia("(width < 40rem)").matches && box.bottom > 0.42 * innerHeight) scrollBy({ top: box.top - 60, behavior: "smooth" }); // above the sheet
    if (stage.querySelector(":focus-visible")) (squarePanel.querySelector("select, input") ?? squarePanel.querySelector("button")).focus();
  }
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || /INPUT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    if (event.shiftKey) travel(future, past);
    else travel(past, future);
  }, { signal });
  editing.addEventListener("keydown", (event) => { if (event.key === "Escape" && selected !== null) pick(null); });

  function redraw() {
    title.textContent = board.title;
    const had = stage.contains(document.activeElement) ? Number(document.activeElement.dataset.number) : null;
    drawn = drawBoard(board.drawing, { label: `The board: ${board.title}`, pick });
    fill(stage, drawn.element);
    if (had !== null) drawn.focus(had);
    if (selected > board.drawing.finish) selected = null;
    drawn.show({ chosen: selected });
    if (squares?.length === board.drawing.squares.length) paint(); // what it was, until the new is known
    else squares = null;
    for (const each of [odds, lengths, changes]) each.classList.add("stale");
    address();
  }
  async function address() {
    const plain = board.text === origin.text && origin.key;
    const n = board.players === (board.tables.board.players ?? 2) ? "" : board.players;
    const letters = plain ? null : await packed(board.text);
    if (!signal.aborted) remember(["workshop", letters ? `~${letters}` : origin.key], { n, of: letters ? origin.key : "" });
  }
  function paint() {
    const now = heatOf(squares, heat, board.drawing);
    drawn.show({ heat: now });
    ramp.hidden = !now;
    if (now) fill(ramp, h("span", null, now.low), h("i", { "aria-hidden": "true" }), h("span", null, now.high));
    fill(numbers, now && asTable(["Square", "Visits", "Winning chance"], () => squares.map((square) => [
      String(square.number), square.times === null ? "" : decimals(square.times, 4), square.chance === null ? "" : `${decimals(100 * square.chance, 2)} %`])));
  }

  // Answers ------------------------------------------------------------------------------
  function answer(result) {
    const before = board.text === origin.text ? null : result.original;
    if (result.odds) {
      showOdds(odds, result, before);
      odds.classList.remove("stale");
      fill(strip, rowsOf(result.odds).map((row) => h("span", { class: row.ink }, h("span", { class: "dot" }), " ", h("b", null, percent(row.answer, 2)))));
    }
    if (result.lengths) {
      showLengths(lengths, result, before);
      lengths.classList.remove("stale");
    }
    if (result.changes) {
      showChanges(changes, result, origin.title);
      changes.classList.remove("stale");
    }
    if (result.squares) {
      squares = result.squares;
      paint();
    }
  }
  async function compute() {
    try {
      const request = { kind: "board", text: board.text, players: board.players };
      if (origin.text !== board.text) request.original = origin.text;
      answer(await jobs.start(request, { partial: answer }));
      main.dispatchEvent(new CustomEvent("answered", { bubbles: true }));
    } catch { /* the worker has said why */ }
  }

  undo.disabled = redo.disabled = true;
  tabs.open("rules");
  settled("start");
  redraw();
  compute();
}

const fileName = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "board";

/** Tabs of which one panel is seen; arrow keys go from one to the next. */
function tablist(names, panels) {
  const keys = Object.keys(names);
  const buttons = Object.fromEntries(keys.map((key) => [key, h("button", { role: "tab", type: "button", id: `tab-${key}`, "aria-controls": `panel-${key}`, onclick: () => open(key) }, names[key])]));
  function open(chosen) {
    for (const key of keys) {
      buttons[key].setAttribute("aria-selected", key === chosen);
      buttons[key].tabIndex = key === chosen ? 0 : -1;
      panels[key].hidden = key !== chosen;
    }
  }
  const element = h("div", { role: "tablist", "aria-label": "What to edit", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const now = keys.findIndex((key) => buttons[key] === document.activeElement);
    const next = keys[(now + step + keys.length) % keys.length];
    open(next);
    buttons[next].focus();
  } }, Object.values(buttons));
  return { element, open };
}
