// The list by keyboard: j and k to the next and the last paper, x selects, o opens its details, / goes to the text.
import { byId, every, modified, moveFrom, results, writes } from "./page.js";

const papers = () => every(".result").filter((one) => one.getClientRects().length);
const current = () => document.activeElement?.closest?.(".result");
const move = (steps) => moveFrom(current(), papers(), steps);

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
