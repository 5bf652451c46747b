// The list by keyboard: j and k to the next and the last paper, x selects, o opens its details, / goes to the text.
import { byId, modified, writes } from "./page.js";

const results = byId("results");

const papers = () => [...results.querySelectorAll(".result")].filter((one) => one.getClientRects().length);
const current = () => document.activeElement?.closest?.(".result");

function move(step) {
  const all = papers();
  const here = all.indexOf(current());
  const next = all[Math.min(Math.max(here + step, 0), all.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  x: () => current()?.querySelector("[name=papers]").click(),
  o: () => current()?.querySelector(".more > summary").click(),
  "/": () => byId("text").focus(),
};

document.addEventListener("keydown", (event) => {
  if (writes(event) || modified(event) || !(event.key in ACTIONS)) return;
  // Single keys are ours on the list and where nothing has the focus, so that nobody who speaks to a page sets them off.
  if (document.activeElement !== document.body && !results.contains(document.activeElement)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});
