// The address of what is shown: every question has its own, so that Back, reload and bookmarks find it.
// Within a session it is a page of the server, and where this browser keeps the questions, a fragment.
import { withField } from "./events.js";
import { ask, typed } from "./page.js";
import { addressOf, ask as keep, local, numberIn } from "./storage.js";

const PATIENCE = 200; // milliseconds; browsers allow some 200 writes in 30 seconds
const { home } = ask.dataset; // what the addresses of the session begin with

const here = () => location.pathname + (local && numberIn(location.hash) ? location.hash : "");

let shownAt = here();
history.replaceState(history.state ?? {}, "");

/** The chosen order of the list: "year", "citations", or "" as it came; reloads and what is asked next keep it. */
export const order = () => new URLSearchParams(location.search).get("sort") ?? "";

function ordered(address, by = order()) {
  const url = withField(address, "sort", by);
  if (!by) url.searchParams.delete("sort");
  return url;
}

export const chooseOrder = (by) => history.replaceState(history.state, "", ordered(location.href, by));

/** Let the page that is shown be one of its session, whose basket or questions are used from here on. */
export function enterSession() {
  if (location.pathname.startsWith(home)) return;
  const stored = /q\/[^/]+$/.exec(location.pathname) ?? "";
  history.replaceState(history.state, "", home + stored + location.search + location.hash);
  shownAt = here();
}

/**
 * Give the page the address of its question, which has these fields, and its title: each entry of the browser's history
 * has its own. The server's address is "" where it keeps none.
 */
export function moveTo({ address: ofServer, title }, fields) {
  const number = local ? keep(fields, home, numberIn(location.hash)) : 0;
  const address = number ? addressOf(number, home) : ofServer;
  if (address && address !== here()) {
    enterSession(); // the page that was left leads back to this session, not to another one
    if (typedHere()?.text === fields.text) history.replaceState({}, ""); // what was typed there has been sent
    history.pushState({}, "", ordered(address));
    shownAt = here();
  }
  document.title = title;
}

/** Keep more in this entry of the browser's history, where Back, Forward and reloads find it. */
export const keepHere = (what) => history.replaceState({ ...history.state, ...what }, "");

// What is typed and not sent is kept there.
let timer = 0;
function keepTyped() {
  const { authors, ...fields } = Object.fromEntries(typed());
  keepHere({ typed: fields });
}
ask.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(keepTyped, PATIENCE);
});
if (ask.dataset.moved) keepTyped(); // a reload finds it, without the form being sent again

/** The fields that were typed and not sent on this entry of the browser's history. */
export const typedHere = () => history.state?.typed;

// An entry without a state is of a link within the page, such as that to the content; it keeps the question's address.
addEventListener("popstate", ({ state }) => {
  if (state || numberIn(location.hash)) {
    if (here() !== shownAt) location.reload();
  } else {
    history.replaceState({}, "", here() === shownAt ? location : shownAt);
  }
});
