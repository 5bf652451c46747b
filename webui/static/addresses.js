// The address of what is shown: within a session every question has its own, so that Back, reload and bookmarks find it.

const { home } = document.getElementById("ask").dataset; // what the addresses of the session begin with

let shownAt = location.pathname;

/** Let the page that is shown be one of its session, whose basket or questions are used from here on. */
export function enterSession() {
  if (location.pathname.startsWith(home)) return;
  history.replaceState(null, "", home + location.search + location.hash);
  shownAt = location.pathname;
}

/** Give the list the address of its question; "" where the server keeps none. */
export function moveTo(address) {
  if (!address || address === location.pathname) return;
  enterSession(); // the page that was left leads back to this session, not to another one
  history.pushState(null, "", address);
  shownAt = address;
}

addEventListener("popstate", () => {
  if (location.pathname !== shownAt) location.reload();
});
