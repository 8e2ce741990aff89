// The rules of the whole board: how far, with which dice, what happens where pieces meet.
import { choice, complain, field, fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { diceText, firstThrows, withBoard, withFirstThrows } from "./edits.js";

const OVERSHOOT = [["bounce", "walk back what is too much"], ["stay", "stay where it was"], ["win", "win as well"]];
const OCCUPIED = [["share", "share the square"], ["return", "go back to where it was"], ["swap", "swap places with the other"], ["restart", "send the other to the start"]];
const DICE = ["d6", "2d6", "3d6", "d4", "d8", "d10", "d20"];

/** Fill `room` with the form of a board's rules: see square_form.js. */
export function rulesForm(room, board, { edit, soon, most = 8 }) {
  const given = board.tables.board;
  const name = h("input", { value: given.name ?? "", maxlength: 80 });
  const finish = h("input", { type: "number", min: 1, max: 10000, inputmode: "numeric", value: given.finish });
  const players = h("input", { type: "number", min: 1, max: most, inputmode: "numeric", value: board.players });
  const dice = h("input", { value: diceText(given.dice), autocomplete: "off", spellcheck: "false" });
  const overshoot = choice(OVERSHOOT, given.overshoot ?? "bounce");
  const occupied = choice(OCCUPIED, given.occupied ?? "share");
  const layout = choice([["serpentine", "rows, to and fro"], ["spiral", "a spiral"]], given.layout ?? "serpentine");
  const fields = {
    players: field("Players", players), finish: field("Finish", finish), dice: field("Dice", dice),
    overshoot: field("A throw past the finish: the piece must", overshoot), occupied: field("Where another piece stands, the mover must", occupied),
    layout: field("Drawn as", layout), name: field("Name", name),
  };
  const offer = h("button", { class: "small", type: "button", hidden: true, onclick: () => {
    edit((now) => withFirstThrows(withBoard(now, "dice", dice.value.trim()), []), fields.dice, true);
  } }, "Take these dice, without first throws");
  const set = async (entry, value) => {
    complain(fields[entry], null);
    offer.hidden = true;
    const held = await edit((now) => withBoard(now, entry, value), fields[entry]);
    offer.hidden = entry !== "dice" || held !== false || firstThrows(board.tables).length === 0;
  };
  const typed = Object.fromEntries(Object.keys(fields).map((entry) => [entry, soon(150, (value) => set(entry, value))]));
  finish.addEventListener("input", () => finish.value && typed.finish(Number(finish.value)));
  players.addEventListener("input", () => players.value && typed.players(Number(players.value)));
  dice.addEventListener("input", () => typed.dice(dice.value.trim()));
  name.addEventListener("input", () => typed.name(name.value));
  for (const [entry, control] of Object.entries({ overshoot, occupied, layout })) control.addEventListener("change", () => set(entry, control.value));
  const presets = h("div", { class: "row tight", role: "group", "aria-label": "Common dice" }, DICE.map((text) => h("button", {
    class: "small", type: "button", onclick: () => { dice.value = text; set("dice", text); } }, text)));
  fill(room, h("div", { class: "pair" }, fields.players, fields.finish, fields.dice), offer, presets, fields.overshoot, fields.occupied,
    throwsForm(board, edit, soon), h("div", { class: "pair" }, fields.name, fields.layout));
}

function throwsForm(board, edit, soon) {
  const rows = h("div", { class: "stack" });
  const told = h("div", { class: "field" }, h("p", { class: "mistake", hidden: true }));
  told.control = rows;
  const row = ({ throw: words = "", goto, free } = {}) => {
    const input = (label, props) => h("input", { "aria-label": label, placeholder: label, autocomplete: "off", oninput: typed, ...props });
    const element = h("div", { class: "throw" },
      input("throw", { value: words }), input("to", { type: "number", value: goto ?? "" }), input("if free", { type: "number", value: free ?? "" }),
      h("button", { class: "quiet round", type: "button", "aria-label": "Remove this first throw", onclick: () => { element.remove(); apply(); } }, icon("close")));
    return element;
  };
  const apply = () => {
    complain(told, null);
    const throws = [...rows.children].map((each) => [...each.querySelectorAll("input")].map((input) => input.value.trim()))
      .filter(([words, goto]) => words && goto)
      .map(([words, goto, free]) => ({ throw: words, goto: Number(goto), free: free === "" ? undefined : Number(free) }));
    return edit((now) => withFirstThrows(now, throws), told);
  };
  const typed = soon(350, apply);
  rows.append(...firstThrows(board.tables).map(row));
  return h("fieldset", { class: "stack" }, h("legend", null, "First throws that lead elsewhere"), rows, told,
    h("button", { class: "small", type: "button", onclick: () => { rows.append(row()); rows.lastChild.querySelector("input").focus(); } }, icon("extra"), "Add a first throw"));
}
