// A match in an address: who plays what, the seed, and all moves so far.

/** Moves as one text: names one after the other, repeated ones counted. */
export function written(moves) {
  const runs = [];
  for (const move of moves) {
    if (runs.at(-1)?.move === move) runs.at(-1).times += 1;
    else runs.push({ move, times: 1 });
  }
  return runs.map(({ move, times }) => encodeURIComponent(move).replaceAll(".", "%2E") + (times > 1 ? `*${times}` : "")).join(".");
}

/** The moves of such a text. */
export const movesOf = (text) => (text ? text.split(".").flatMap((part) => {
  const [, move, times] = part.match(/^(.*?)(?:\*(\d+))?$/);
  return Array(Math.min(Number(times ?? 1), 5000)).fill(decodeURIComponent(move));
}) : []);

/** The match that an address holds, or null. */
export function matchOf(query) {
  const seats = query.get("seats");
  if (!seats) return null;
  const options = Object.fromEntries(query.getAll("set").map((text) => text.split(/=(.*)/s).slice(0, 2)));
  return { seats: seats.split(","), seed: Number(query.get("seed") ?? 1), moves: movesOf(query.get("moves")), options,
    shows: new Set((query.get("show") ?? "").split(",").filter(Boolean)) };
}

/** An address that holds a match. */
export function addressOf(key, { seats, seed, moves, options, shows }) {
  const query = new URLSearchParams({ seats: seats.join(","), seed });
  for (const [name, value] of Object.entries(options)) query.append("set", `${name}=${value}`);
  if (shows.size) query.set("show", [...shows].join(","));
  if (moves.length) query.set("moves", written(moves));
  return `#/play/${encodeURIComponent(key)}?${query}`;
}
