// Texts that are kept: what a tab is at until it is closed, and the newest of all tabs in this browser.

const MOST = 12;
function stored(area, name) {
  try {
    return JSON.parse(area.getItem(name));
  } catch {
    return null;
  }
}

/** What this tab is at in a part of the page, at an address: a reload has it back, another tab does not. */
export const draft = (part) => ({
  get(address = location.hash) {
    const found = stored(sessionStorage, part);
    return found?.address === address ? found.text : null;
  },
  set: (text, address = location.hash) => sessionStorage.setItem(part, JSON.stringify({ address, text })),
  clear: () => sessionStorage.removeItem(part),
});

/** Texts of one kind, the newest first, each in a place of its own that no other tab writes to. */
export function texts(kind) {
  const prefix = `${kind} `;
  const all = () => Object.keys(localStorage).filter((name) => name.startsWith(prefix)).map((place) => ({ ...stored(localStorage, place), place }))
    .filter((each) => typeof each.text === "string").sort((a, b) => b.at - a.at);
  return {
    all,
    place: () => prefix + crypto.randomUUID(),
    /** Forget a text that goes on in another place, unless somebody else has gone on there. */
    moved(place, text) {
      if (stored(localStorage, place)?.text === text) localStorage.removeItem(place);
    },
    /** Keep a text in its place; the oldest make room. */
    keep(place, text) {
      const others = all().filter((each) => each.place !== place);
      const forget = ({ place: old }) => localStorage.removeItem(old);
      others.splice(0, others.length, ...others.filter((each) => each.text !== text || forget(each)));
      while (others.length >= MOST) forget(others.pop());
      for (;;) {
        try {
          return localStorage.setItem(place, JSON.stringify({ text, at: Date.now() }));
        } catch (error) { // no room is left
          if (!others.length) throw error;
          forget(others.pop());
        }
      }
    },
  };
}
