// The workshop: a board is changed by hand, and its odds follow.
import { desk } from "./answers.js";
import { ask, game, games, Refused, stopped } from "./api.js";
import { drawBoard } from "./board.js";
import { steps } from "./changes.js";
import { asTable, rowsOf } from "./chart.js";
import { complain, fill, h, inFocus, segments } from "./dom.js";
import { BLANK, sameRules, withBoard } from "./edits.js";
import { textEditor } from "./editor.js";
import { heatOf, showChanges, showLengths, showOdds } from "./findings.js";
import { emblem, icon } from "./icons.js";
import { draft } from "./kept.js";
import { remember } from "./route.js";
import { rulesForm } from "./rules_form.js";
import { copyAddress, download, packed, unpacked } from "./share.js";
import { squareForm } from "./square_form.js";
import { decimals, percent, plural } from "./words.js";

const kept = draft("workshop");

/** Show the workshop, or the choice of a board to begin with. */
export async function show(main, { path, query, signal }) {
  if (path.length < 2) return chooser(main);
  const shared = path[1].startsWith("~");
  const key = shared ? query.get("of") : path[1];
  const origin = await originOf(key, signal);
  const text = shared ? await unpacked(path[1].slice(1)) : origin.text;
  if (text === null) throw new Refused({ message: "The address holds no board: it may have been cut off." });
  const written = shared || query.get("n") ? await read({ text }, signal) : origin;
  const players = Number(query.get("n"));
  const first = players && players !== written.players ? await read({ tables: withBoard(written.tables, "players", players) }, signal) : written;
  workshop(main, origin ?? { ...written, key: null, called: written.title }, first, signal);
}

const read = (body, signal) => ask("/api/boards", { method: "POST", body, signal });

/** Read a board; variants that no longer fit what is played are left out. */
async function readFitting(body, signal) {
  try {
    return { next: await read(body, signal), told: "" };
  } catch (error) {
    if (!body.tables?.variants || !/\bvariant\b/i.test(error.message)) throw error;
    const { variants, ...tables } = body.tables;
    return { next: await read({ tables }, signal), told: "The variants of the file no longer fit this board: they were left out." };
  }
}

/** The board that one began with: { key, called, title, text, tables, players, drawing }. */
async function originOf(key, signal) {
  if (!key) return null;
  if (key === "blank") return { ...(await read({ text: BLANK }, signal)), key, called: "the blank board" };
  const card = await game(key);
  if (!card.board_file) throw new Refused({ message: `${card.title} is no board: the workshop has boards only.` });
  return { ...card.board_file, key, title: card.title, called: card.title, players: card.players };
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
  let squares = null, heat = "none", selected = null, drawn = null, shown = null;
  let typing = false; // whether there is text that has not been read

  // Places on the page
  const title = h("h1");
  const stage = h("div", { class: "stage" }), ramp = h("div", { class: "ramp", hidden: true }), numbers = h("div");
  const odds = h("div", { class: "stack", role: "status", "aria-live": "polite" }), lengths = h("div", { class: "stack" }), changes = h("div", { class: "stack" });
  const strip = h("p", { class: "strip shortly", "aria-hidden": "true" });
  const room = h("div", { class: "stack" });
  const message = h("div", { role: "alert" }), said = h("p", { class: "small", role: "status" });
  const squarePanel = h("div", { class: "stack", role: "tabpanel", id: "panel-square", "aria-labelledby": "tab-square", tabindex: -1 });
  const rulesPanel = h("div", { class: "stack", role: "tabpanel", id: "panel-rules", "aria-labelledby": "tab-rules" });
  const textPanel = h("div", { class: "stack", role: "tabpanel", id: "panel-text", "aria-labelledby": "tab-text" });
  const panels = { square: squarePanel, rules: rulesPanel, text: textPanel };

  // The question that stands is the board; while it is being changed there is none.
  const unread = kept.get(); // a text with a mistake, from before the page was loaded again
  const line = steps({ board: first, draft: unread === null ? null : { text: unread, message: "This is no board yet.", place: null } }, { begun: () => answers.stand(null), over: ready });
  const question = ({ text, players, tables }) => ({ kind: "board", text, players, original: sameRules(tables, origin.tables) ? undefined : origin.text });
  const answers = desk(room, { signal, whose: ({ text, players }) => `These are the numbers of another board than the one shown: ${described(text, players)}.` });
  const notes = {
    odds: answers.panel({ elements: [odds, strip], has: (result) => result.odds, show(result) {
      showOdds(odds, result, result.original);
      fill(strip, rowsOf(result.odds).map((row) => h("span", { class: row.ink }, h("span", { class: "dot" }), " ", h("b", null, percent(row.answer, 2)))));
    }, hide: () => fill(odds) && fill(strip) }),
    lengths: answers.panel({ elements: [lengths], has: (result) => result.lengths, show: (result) => showLengths(lengths, result, result.original) }),
    changes: answers.panel({ elements: [changes], show: (result) => showChanges(changes, result, origin.called) }),
    squares: answers.panel({ elements: [stage, ramp, numbers], has: (result) => result.squares, show: (result) => paint(result.squares), hide: () => paint(null) }),
  };
  const editor = textEditor("The board file", first.text, { rows: 18, oninput: () => { typing = true; write(); } });
  const write = line.soon(400, () => commit(() => {
    typing = false;
    return { text: editor.value };
  }, { from: "text" }));
  textPanel.append(editor.element);

  const button = (name, glyph, act, extra = {}) => h("button", { class: "small", type: "button", onclick: act, ...extra }, icon(glyph), h("span", null, name));
  const undo = button("Undo", "undo", () => travel("back")), redo = button("Redo", "redo", () => travel("on"));
  const tabs = tablist({ square: "Square", rules: "Rules", text: "Text" }, panels);
  const editing = h("section", { class: "card editing", "aria-label": "Edit the board" }, strip, tabs.element, squarePanel, rulesPanel, textPanel);

  fill(main,
    h("div", { class: "row ends head" }, title, h("div", { class: "row tight", role: "toolbar", "aria-label": "The board" }, undo, redo,
      button("Reset", "restart", () => commit(() => ({ text: origin.text }), { from: "reset" })),
      button("Download", "download", () => line.next(() => download(`${fileName(line.state.board.title)}.toml`, line.state.board.text))),
      button("Copy link", "link", async () => { await line.next(() => address(line.state)); said.textContent = (await copyAddress()) ? "The link was copied: it holds the whole board." : "The link is in the address bar: it holds the whole board."; }),
      h("a", { class: "button small", href: "#/workshop" }, "Other board"))),
    message,
    h("div", { class: "bench-of-board" },
      h("section", { class: "card table", "aria-label": "The board" },
        h("div", { class: "row ends" }, segments("Colours of the squares", [["none", "Effects"], ["visits", "Visits"], ["chance", "Winning chance"]], heat, (kind) => { heat = kind; paint(squares); }), ramp),
        notes.squares, stage, numbers),
      h("div", { class: "side" },
        h("section", { class: "card results" }, h("h2", null, "Odds"), notes.odds, odds, room),
        editing),
      h("section", { class: "card longer" }, h("h2", null, "Length"), notes.lengths, lengths),
      h("section", { class: "card compare" }, h("h2", null, "Compared with the original"), notes.changes, changes)),
    said);

  // Changes ------------------------------------------------------------------------------
  const made = [{ from: "start" }]; // where the changes came from since forms were made, and whether theirs is made anew
  /** Take what a change makes of the board, if the server does: whether it did. */
  const commit = (make, { from, field, refill }) => line.next(async () => {
    const { board, draft: unheld } = line.state;
    const body = make(board);
    complain(field, null);
    try {
      const { next, told } = await readFitting(body, signal);
      if (next.text !== board.text || unheld) line.go({ board: next, draft: null });
      made.push({ from, refill });
      fill(message);
      said.textContent = unheld && from !== "text" ? "The text had a mistake and was replaced: Undo brings it back." : told;
      return true;
    } catch (error) {
      if (stopped(error) || signal.aborted) return false;
      fill(message, h("p", { class: "note-bad" }, error.message));
      complain(field, error.message);
      if (from === "text") line.state = { board, draft: { text: body.text, message: error.message, place: error.place } };
      return false;
    }
  });
  const travel = (way) => line.next(async () => {
    if (!line[way]()) return;
    made.push({ from: way });
    fill(message, line.state.draft && h("p", { class: "note-bad" }, line.state.draft.message));
    said.textContent = "";
  });
  /** When all changes have been read: show the board as it is now, and ask about it. */
  function ready() {
    if (signal.aborted) return;
    const { board, draft: unheld } = line.state;
    if (!typing) {
      const text = unheld?.text ?? board.text;
      if (editor.value !== text) editor.value = text;
      else editor.clear();
      if (unheld) editor.mark(unheld.message, unheld.place, { move: false });
    }
    redraw(board);
    const old = (name) => made.some((each) => each.from !== name || each.refill); // a form knows what came from it alone
    if (old("square")) inFocus(squarePanel, makeSquare);
    if (old("rules")) inFocus(rulesPanel, makeRules);
    made.length = 0;
    undo.disabled = line.first;
    redo.disabled = line.last;
    address(line.state);
    answers.ask(question(board));
  }
  const hand = (name) => ({
    soon: line.soon,
    edit: (change, field, again = false) => commit((board) => ({ tables: change(board.tables) }), { from: name, field, refill: again }),
  });

  // Pictures -----------------------------------------------------------------------------
  const makeSquare = () => squareForm(squarePanel, line.state.board, selected, { ...hand("square"), close: () => pick(null) });
  const makeRules = () => rulesForm(rulesPanel, line.state.board, hand("rules"));
  function pick(number) {
    const before = selected;
    selected = number;
    drawn.show({ chosen: number });
    editing.classList.toggle("sheet", number !== null);
    makeSquare();
    if (line.open) made.push({ from: "pick" }); // and once more when what is being read has come
    if (number === null) return drawn.focus(before);
    tabs.open("square");
    const box = stage.querySelector(`[data-number="${number}"]`).getBoundingClientRect();
    if (matchMedia("(width < 40rem)").matches && box.bottom > 0.42 * innerHeight) scrollBy({ top: box.top - 60, behavior: "smooth" }); // above the sheet
    if (stage.querySelector(":focus-visible")) (squarePanel.querySelector("select, input") ?? squarePanel.querySelector("button")).focus();
  }
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || /INPUT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    travel(event.shiftKey ? "on" : "back");
  }, { signal });
  editing.addEventListener("keydown", (event) => { if (event.key === "Escape" && selected !== null) pick(null); });

  function redraw(board) {
    if (board === shown) return;
    shown = board;
    title.textContent = board.title;
    const had = stage.contains(document.activeElement) ? Number(document.activeElement.dataset.number) : null;
    drawn = drawBoard(board.drawing, { label: `The board: ${board.title}`, pick });
    fill(stage, drawn.element);
    if (had !== null) drawn.focus(had);
    if (selected > board.drawing.finish) selected = null;
    drawn.show({ chosen: selected });
    paint(squares);
  }
  async function address(state) {
    const { board, draft: unheld } = state;
    const plain = origin.key && sameRules(board.tables, origin.tables);
    const letters = plain ? null : await packed(board.text);
    if (signal.aborted || state !== line.state) return;
    remember(["workshop", letters ? `~${letters}` : origin.key], { n: plain && board.players !== origin.players ? board.players : "", of: letters ? origin.key : "" });
    if (unheld) kept.set(unheld.text);
    else kept.clear();
  }
  /** Colour the squares by these numbers; those of a board with other squares are not shown. */
  function paint(next) {
    squares = next;
    const fits = squares?.length === shown.drawing.squares.length ? squares : null;
    const now = heatOf(fits, heat, shown.drawing);
    drawn.show({ heat: now });
    ramp.hidden = !now;
    if (now) fill(ramp, h("span", null, now.low), h("i", { "aria-hidden": "true" }), h("span", null, now.high));
    fill(numbers, now && asTable(["Square", "Visits", "Winning chance"], () => fits.map((square) => [
      String(square.number), square.times === null ? "" : decimals(square.times, 4), square.chance === null ? "" : `${decimals(100 * square.chance, 2)} %`])));
  }

  tabs.open(unread === null ? "rules" : "text");
  ready();
  if (unread !== null) commit(() => ({ text: unread }), { from: "text" });
}

/** A board in a few words: what its file says of its name and finish. */
function described(text, players) {
  const said = (entry) => text.match(new RegExp(`^\\s*${entry}\\s*=\\s*("?)(.*?)\\1\\s*(#.*)?$`, "m"))?.[2];
  return [said("name") ?? "a board", said("finish") && `finish ${said("finish")}`, plural(players, "player")].filter(Boolean).join(", ");
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
