// Numbers and answers as people read them.

const fixed = (digits) => new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const FORMATS = new Map();
/** A number with so many decimals. */
export function decimals(value, digits) {
  if (!FORMATS.has(digits)) FORMATS.set(digits, fixed(digits));
  return FORMATS.get(digits).format(value);
}

export const count = (value) => decimals(value, 0);

/** A quantile: a length, "inf" where so many games never end, or from and to where it is not known. */
export function quantile(at) {
  if (Array.isArray(at)) return at[1] === "inf" ? `${count(at[0])} or more` : `${count(at[0])} to ${count(at[1])}`;
  return at === "inf" ? "∞" : count(at);
}

/** How far the truth can be from an answer's value. */
export const doubt = (answer) =>
  answer.lower === null || answer.lower === undefined ? null : Math.max(answer.upper - answer.value, answer.value - answer.lower, 0);

/** As many decimals as are known, but no more than `most`. */
function known(answer, scale, most) {
  const error = doubt(answer);
  if (!error) return most;
  return Math.max(0, Math.min(most, Math.floor(-Math.log10(error * scale)) + (error * scale < 10 ** -most ? 0 : 1)));
}

const rough = (answer, scale, most) => {
  const error = doubt(answer);
  return error !== null && error * scale >= 0.5 * 10 ** -most;
};

/** A chance in percent: 39.3625 %, or 39.4 ± 0.3 % where it is not known better. */
export function percent(answer, most = 4) {
  const digits = known(answer, 100, most);
  const value = decimals(100 * answer.value, digits);
  return rough(answer, 100, most) ? `${value} ± ${decimals(100 * doubt(answer), digits)} %` : `${value} %`;
}

/** A plain amount, such as a length or a score. */
export function amount(answer, most = 3) {
  if (answer.value === "inf") return "infinitely many";
  const digits = known(answer, 1, most);
  const value = decimals(answer.value, digits);
  return rough(answer, 1, most) ? `${value} ± ${decimals(doubt(answer), digits)}` : value;
}

/** Between what the truth is, in full: for those who want to see it. */
export function bounds(answer, scale = 1, unit = "") {
  if (answer.exact && answer.exact.length <= 24) return `exactly ${answer.exact}`;
  if (answer.lower === null || answer.lower === undefined || answer.value === "inf") return "";
  const [low, high] = [scale * answer.lower, scale * answer.upper];
  const same = Math.abs(high - low);
  const digits = same > 0 ? Math.min(14, Math.max(2, Math.ceil(-Math.log10(same)) + 1)) : 12;
  const how = answer.approximate ? "about from" : "from";
  return `${how} ${low.toFixed(digits)} to ${high.toFixed(digits)}${unit}`;
}

const METHODS = {
  exact: ["exact", "A fraction, without rounding."],
  certified: ["certified", "The truth is inside the interval, rounding included."],
  float: ["float", "Floating-point numbers, without a bound."],
  estimate: ["estimate", "From games played at random, with 95 % confidence intervals; those of lengths and scores are approximate."],
};
/** How a number was found: a word and what it means. */
export const method = (name) => METHODS[name] ?? [name, ""];

export const player = (number) => `Player ${number}`;
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

/** How long something will take, roughly. */
export function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${decimals(seconds / 3600, 1)} h`;
}

/** The rules of a game as paragraphs of plain words. */
export const paragraphs = (text) => text.trim().split(/\n\s*\n/).map((part) => part.replace(/\s+/g, " ").replaceAll("`", ""));
