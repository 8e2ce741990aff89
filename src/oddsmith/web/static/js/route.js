// Where one is: the address after the #, as a path and its settings.

/** The address as { path: ["games", "pig"], query: URLSearchParams }. */
export function here() {
  const [way, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: way.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

/** An address of this page. */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** Write what is shown into the address, without going anywhere. */
export const remember = (path, query) => history.replaceState(null, "", address(path, query));
