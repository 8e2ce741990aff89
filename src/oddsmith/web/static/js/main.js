// The frame: which part is shown, where the focus goes, what is said when something is lost.
import { ask, connection, stopped } from "./api.js";
import { fill, h } from "./dom.js";
import { here } from "./route.js";
import { switchable } from "./theme.js";
import * as gallery from "./gallery.js";

const PARTS = {
  games: () => import("./game.js"),
  workshop: () => import("./workshop.js"),
  play: () => import("./play.js"),
  bench: () => import("./bench.js"),
};
const TITLES = { games: "Games", workshop: "Workshop", play: "Play", bench: "Model bench" };

const main = document.getElementById("main");
const banner = document.getElementById("banner");
let leaving = new AbortController();
let shownBefore = false;

async function show() {
  leaving.abort();
  const mine = (leaving = new AbortController());
  const where = here();
  const part = where.path[0] ?? "games";
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.dataset.part === part) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${TITLES[part] ?? "Games"} · Oddsmith`;
  main.dataset.part = part;
  try {
    const view = where.path.length === 0 || (part === "games" && where.path.length === 1) ? gallery : await (PARTS[part] ?? unknown)();
    if (mine.signal.aborted) return;
    const room = h("div", { class: `view ${part}` });
    await view.show(room, { ...where, signal: mine.signal });
    if (mine.signal.aborted) return;
    fill(main, room);
    const title = room.querySelector("h1")?.textContent;
    if (title) document.title = `${title} · Oddsmith`;
    if (shownBefore) {
      scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
    shownBefore = true;
  } catch (error) {
    if (mine.signal.aborted || stopped(error)) return;
    console.info(error);
    fill(main, h("h1", null, "That did not work"), h("p", { class: "note-bad", role: "alert" }, error.message), h("p", null, h("a", { href: "#/" }, "Back to the games")));
  }
}

function unknown() {
  throw new Error("There is no such part of the page.");
}

let lost = null;
connection.addEventListener("lost", () => {
  lost ??= setTimeout(() => {
    banner.hidden = false;
    banner.textContent = "The server cannot be reached. Trying again …";
  }, 300);
});
connection.addEventListener("found", () => {
  clearTimeout(lost);
  lost = null;
  banner.hidden = true;
});

addEventListener("hashchange", show);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
switchable(document.getElementById("theme"));
show();
ask("/api/health").then(({ version }) => { document.getElementById("version").textContent = `· ${version}`; }).catch(() => {});
