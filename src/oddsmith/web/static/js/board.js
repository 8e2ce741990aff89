// A board as a picture: squares with what they do, heat, arrows, tokens; keys move between squares.
import { h, s } from "./dom.js";
import { PATHS } from "./icons.js";

const U = 100; // a square is so many units wide
const GAP = 2.5;

const boxOf = ({ corners }) => {
  const xs = corners.map((c) => c[0] * U), ys = corners.map((c) => c[1] * U);
  const x = Math.min(...xs), y = Math.min(...ys);
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

/** A square in words. */
export function called(square) {
  const what = { start: "start", finish: "finish" }[square.kind];
  const effect = square.effect === "nothing" ? null : square.effect;
  return [`Square ${square.number}`, square.name, what, effect].filter(Boolean).join(", ");
}

/**
 * Draw a board. `pick(number)`, if given, makes squares buttons; `label` names the picture.
 * What comes back can be shown({ heat, tokens, chosen }): heat is { values: Map of number to 0…1, words:
 * Map of number to text } or null, tokens the squares of the players, chosen a square's number.
 */
export function drawBoard(drawing, { label, pick = null } = {}) {
  // Grounds lie below the arrows, numbers and names above them.
  const grounds = new Map(drawing.squares.map((square) => [square.number, ground(square)]));
  const groups = new Map(drawing.squares.map((square) => [square.number, tile(square, Boolean(pick))]));
  const cursor = s("rect", { class: "cursor", rx: 10, visibility: "hidden" });
  const tokens = s("g", { class: "tokens" });
  const margin = 6;
  const svg = s("svg", {
    class: "board plain", viewBox: `${-margin} ${-margin} ${drawing.width * U + 2 * margin} ${drawing.height * U + 2 * margin}`,
    role: pick ? "group" : "img", "aria-label": label, "data-count": drawing.squares.length,
  }, [...grounds.values()], walls(drawing), arrows(drawing), [...groups.values()], cursor, tokens);
  if (pick) keys(svg, drawing, groups, pick);

  function chosen(number) {
    const square = drawing.squares.find((each) => each.number === number);
    cursor.setAttribute("visibility", square ? "visible" : "hidden");
    if (square) for (const [key, value] of Object.entries(boxOf(square))) cursor.setAttribute(key, value);
    for (const [each, group] of groups) if (pick) group.setAttribute("aria-pressed", each === number);
  }
  function heated(heat) {
    svg.classList.toggle("plain", !heat);
    for (const [number, group] of groups) {
      const value = heat?.values.get(number) ?? 0;
      const below = grounds.get(number);
      below.style.setProperty("--heat", `${(200 * (value > 0.5 ? value - 0.5 : value)).toFixed(1)}%`);
      below.classList.toggle("above", value > 0.5);
      group.classList.toggle("bright", value > 0.4); // where black reads better than white, in the dark
      group.classList.toggle("deep", value > 0.62); // where white reads better than black, in the light
      group.querySelector(".amount").textContent = heat?.words.get(number) ?? "";
      const base = group.dataset.label;
      const said = heat?.words.get(number);
      group.setAttribute("aria-label", said ? `${base}, ${heat.what} ${said}` : base);
    }
  }
  function placed(squares) {
    while (tokens.children.length > squares.length) tokens.lastChild.remove();
    squares.forEach((number, at) => {
      const token = tokens.children[at] ?? tokens.appendChild(pawn(at));
      const square = drawing.squares.find((each) => each.number === number);
      if (!square) return token.setAttribute("visibility", "hidden");
      const there = squares.filter((n) => n === number).length;
      const mine = squares.slice(0, at).filter((n) => n === number).length;
      const turn = (2 * Math.PI * mine) / there - Math.PI / 2 - Math.PI / 4;
      const off = there > 1 ? 22 : 0;
      const x = square.x * U + off * Math.cos(turn), y = square.y * U + 6 + off * Math.sin(turn);
      token.setAttribute("visibility", "visible");
      token.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
    const said = squares.map((number, at) => `player ${at + 1} on ${number}`).join(", ");
    svg.setAttribute("aria-label", squares.length ? `${label}: ${said}` : label);
  }
  return {
    element: h("div", { class: "board-frame" }, svg),
    show({ heat, tokens: squares, chosen: number }) {
      if (heat !== undefined) heated(heat);
      if (squares !== undefined) placed(squares ?? []);
      if (number !== undefined) chosen(number);
    },
    focus: (number) => groups.get(number)?.focus(),
  };
}

const inside = ({ width, height }) => ({ x: GAP, y: GAP, width: width - 2 * GAP, height: height - 2 * GAP, rx: 9 });

function ground(square) {
  const box = boxOf(square);
  return s("g", { class: `ground ${square.kind}`, transform: `translate(${box.x} ${box.y})` }, s("rect", { class: "tile", ...inside(box) }));
}

function tile(square, button) {
  const { x, y, width, height } = boxOf(square);
  const big = Math.min(width, height) / U;
  const size = 42 * Math.min(big, 2);
  const name = caption(square);
  const text = name.length > 9 && big < 1.5 ? `${name.slice(0, 8)}…` : name;
  const glyph = PATHS[square.kind];
  return s("g", {
    class: `square ${square.kind}`, transform: `translate(${x} ${y})`, "data-number": square.number, "data-label": called(square),
    "aria-label": called(square), role: button ? "button" : undefined, tabindex: button ? -1 : undefined,
    "aria-hidden": button ? undefined : "true",
  },
  s("title", null, called(square)),
  s("rect", { class: "touch", ...inside({ width, height }) }),
  s("text", { class: "no", x: 10, y: 27 }, String(square.number)),
  glyph && s("g", { class: "sign" }, s("svg", {
    x: width / 2 - size / 2, y: height / 2 - size / 2 + (big < 1.5 ? 2 : -8), width: size, height: size, viewBox: "0 0 24 24",
  }, s("path", { class: "glyph", d: glyph }))),
  text && s("text", { class: "name", x: width / 2, y: height - 11 }, text),
  s("text", { class: "amount", x: width / 2, y: height / 2 + 14 }));
}

function caption(square) {
  if (square.name) return square.name;
  if (square.kind === "start" || square.kind === "finish") return square.kind;
  return square.effect.startsWith("goto ") ? `→ ${square.effect.slice(5)}` : square.effect === "nothing" ? "" : square.effect;
}

const pawn = (at) => s("g", { class: `token p${(at % 8) + 1}` },
  s("circle", { r: 23 }), s("text", { y: 8 }, String(at + 1)));

/** Thick lines where squares that touch are not next to each other on the way: they show the way. */
function walls(drawing) {
  const sides = new Map();
  for (const square of drawing.squares) {
    const { x, y, width, height } = boxOf(square);
    for (let i = 0; i < width / U; i += 1) for (const at of [y, y + height]) touch(`${x + i * U} ${at} h`, square.number);
    for (let i = 0; i < height / U; i += 1) for (const at of [x, x + width]) touch(`${at} ${y + i * U} v`, square.number);
  }
  function touch(side, number) {
    sides.set(side, [...(sides.get(side) ?? []), number]);
  }
  let way = "";
  for (const [side, [one, other]] of sides) {
    if (other !== undefined && Math.abs(one - other) > 1) way += `M${side}${U}`;
  }
  return s("path", { class: "wall", d: way });
}

/** Curves from where to where squares send a token. */
function arrows(drawing) {
  const at = new Map(drawing.squares.map((square) => [square.number, square]));
  return drawing.jumps.map(({ from, to }) => {
    const one = at.get(from), two = at.get(to);
    const kind = to > from ? "forward" : "back";
    const dx = (two.x - one.x) * U, dy = (two.y - one.y) * U, far = Math.hypot(dx, dy) || 1;
    const bend = Math.min(40, far / 6);
    const cut = (distance) => distance / far;
    const [x1, y1] = [one.x * U + dx * cut(30), one.y * U + dy * cut(30)];
    const [x2, y2] = [two.x * U - dx * cut(36), two.y * U - dy * cut(36)];
    const [cx, cy] = [(x1 + x2) / 2 - (dy / far) * bend, (y1 + y2) / 2 + (dx / far) * bend];
    const turn = (Math.atan2(y2 - cy, x2 - cx) * 180) / Math.PI;
    return s("g", { class: `way ${kind}`, "data-from": from, "data-to": to },
      s("path", { class: "jump", d: `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}` }),
      s("path", { class: "head", d: "M12 0-10-11-5 0-10 11z", transform: `translate(${x2} ${y2}) rotate(${turn})` }));
  });
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** One square can be reached by Tab; arrow keys go to its neighbours, + and - along the way. */
function keys(svg, drawing, groups, pick) {
  let current = drawing.squares[0];
  groups.get(current.number).setAttribute("tabindex", 0);
  const squareOf = (event) => {
    const group = event.target.closest(".square");
    return group && drawing.squares.find((square) => square.number === Number(group.dataset.number));
  };
  const go = (square) => {
    groups.get(current.number).setAttribute("tabindex", -1);
    current = square;
    groups.get(square.number).setAttribute("tabindex", 0);
    groups.get(square.number).focus();
  };
  svg.addEventListener("click", (event) => {
    const square = squareOf(event);
    if (!square) return;
    go(square);
    pick(square.number);
  });
  svg.addEventListener("keydown", (event) => {
    const square = squareOf(event);
    if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
    let next;
    if (event.key in ARROWS) next = neighbour(drawing, square, ARROWS[event.key]);
    else if (event.key === "Home") next = drawing.squares[0];
    else if (event.key === "End") next = drawing.squares.at(-1);
    else if (event.key === "+" || event.key === "-") next = drawing.squares.find((each) => each.number === square.number + (event.key === "+" ? 1 : -1));
    else if (event.key === "Enter" || event.key === " ") pick(square.number);
    else return;
    event.preventDefault();
    if (next) go(next);
  });
}

function neighbour(drawing, square, [dx, dy]) {
  let best = null, least = Infinity;
  for (const other of drawing.squares) {
    const ahead = (other.x - square.x) * dx + (other.y - square.y) * dy;
    const aside = Math.abs((other.x - square.x) * dy) + Math.abs((other.y - square.y) * dx);
    if (ahead < 0.4 || aside > ahead + 0.6) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [other, cost];
  }
  return best;
}
