// What is read of a room at one moment: what it asks, what it answers, and what of that is dimmed.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = (each) => each.textContent;
  const dimmed = (each) => Boolean(each.closest(".stale"));
  const field = (within, name) => all(`${within} .field`)
    .find((each) => each.querySelector("label")?.textContent === name)?.querySelector("textarea, input");

  async function workshop() {
    const { unpacked } = await import("/js/share.js");
    const given = (name) => {
      const input = field("#panel-rules", name);
      return input && !input.hasAttribute("aria-invalid") && input.value ? input.value : null;
    };
    const mean = document.querySelector(".longer .facts dd");
    const start = document.querySelector('.board:not(.plain) [data-number="0"] .amount');
    const heat = document.querySelector(".segments input:checked")?.value;
    const now = {
      rows: all(".results .odds tbody tr").map((row) => [dimmed(row), text(row.querySelector(".worth"))]),
      mean: mean && [dimmed(mean), text(mean)],
      start: start && heat === "chance" && [dimmed(start), text(start)],
      whose: all(".whose:not([hidden])").map(text),
      players: given("Players"),
      finish: given("Finish"),
      text: document.querySelector("#panel-text textarea")?.value,
      wrong: Boolean(document.querySelector("#panel-text .mistake")),
      hash: location.hash,
    };
    const letters = now.hash.match(/~([^?]*)/);
    return { ...now, address: letters ? await unpacked(letters[1]) : null };
  }

  async function play() {
    const [{ matchOf }, { here }] = await Promise.all([import("/js/match.js"), import("/js/route.js")]);
    const match = document.querySelector(".match");
    if (!match?.querySelector(".position dd")) return null;
    const { path, query } = here();
    const log = match.querySelector(".log"), asked = match.querySelector(".asked:not([hidden])");
    const rows = (selector) => (asked ? all(selector, asked) : []);
    return {
      game: path[1],
      match: { ...matchOf(query), shows: null },
      position: dimmed(match.querySelector(".position")),
      values: all(".position dd", match).map(text),
      log: [dimmed(log), [...log.children].map((line) => line.querySelector("b").nextSibling.textContent.trim())],
      rows: rows(".odds tbody tr").map((row) => [dimmed(row), text(row.querySelector(".worth"))]),
      advice: rows("table:not(.odds) tbody tr").map((row) => [
        dimmed(row), text(row.querySelector("th")).replace(/best$/, ""), text(row.querySelector("td"))]),
    };
  }

  function bench() {
    const given = (name) => field(".bench-grid", name)?.value;
    if (given("Model") === undefined) return null;
    return {
      source: given("Model"),
      properties: given("Properties, one a line"),
      constants: given("Constants"),
      way: document.querySelector(".segments input:checked").value,
      answers: all(".answers tbody tr").map((row) => [
        dimmed(row), text(row.querySelector("code")), text(row.querySelector("td b") ?? row.querySelector("td"))]),
      running: Boolean(document.querySelector(".progress")),
    };
  }
  return { workshop, play, bench };
})()
