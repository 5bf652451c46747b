// A better order of the list that is shown: put in place unless somebody is reading, and never by a jump.
import { byId, every, hide, results, still } from "./page.js";

const box = byId("refining");
const text = byId("refining-text");
const bar = byId("refining-bar");
const showButton = byId("show-refined");
const keepButton = byId("keep-order");
const stopButton = byId("stop-refining");
const SLIDE = 450; // milliseconds
const NEAR = 8; // pixels that do not count as having scrolled

let reading = false; // has the reader begun to work with the list?
let restingAt = 0; // scroll position in which the list was shown
let onShow = () => {};

for (const kind of ["pointerdown", "change", "toggle"]) {
  results.addEventListener(kind, () => { reading = true; }, true);
}

/** Is the reader busy with the list, so that it must not move by itself, nor under the pointer? */
export function isBeingRead() {
  return reading || Math.abs(scrollY - restingAt) > NEAR || getSelection()?.isCollapsed === false
    || results.querySelector(".result:is(:hover, :focus-within)");
}

/** A list is shown from here on. */
export function rest() {
  reading = false;
  restingAt = scrollY;
}

function tell(message, ready) {
  box.hidden = false;
  text.textContent = message;
  showButton.hidden = keepButton.hidden = !ready;
  bar.hidden = ready;
  hide(stopButton, ready, keepButton);
}

export function showProgress(read, toRead, stop) {
  tell(`Reading the best ${toRead === 1 ? "paper" : `${toRead} papers`} closely`, false);
  bar.max = toRead;
  if (read) bar.value = read;
  else bar.removeAttribute("value"); // not known yet: the bar moves to and fro
  stopButton.onclick = stop;
}

export function hideProgress() {
  hide(box, true, results);
}

/** Offer a better order; `show` puts it in place. */
export function offer(moved, show) {
  tell(`A refined order is ready: ${moved === 1 ? "one paper moves" : `${moved} papers move`}.`, true);
  onShow = show;
}

showButton.addEventListener("click", () => {
  hideProgress();
  onShow();
});
keepButton.addEventListener("click", hideProgress);

/** How many papers of a new list stand elsewhere in the one that is shown, or not at all. */
export function movesTo(list) {
  const places = new Map(every(".result").map(({ dataset }, place) => [dataset.id, place]));
  return [...list.querySelectorAll(".result")].filter(({ dataset }, place) => places.get(dataset.id) !== place).length;
}

/** Run `change`, which replaces the list, and let every paper slide from where it was. */
export function slide(change) {
  const tops = new Map(every(".result").map((one) => [one.dataset.id, one.getBoundingClientRect().top]));
  change();
  if (still()) return;
  for (const one of every(".result")) {
    const way = tops.get(one.dataset.id) - one.getBoundingClientRect().top; // NaN for one that was not there
    const from = Number.isNaN(way) ? { opacity: 0 } : { transform: `translateY(${way}px)` };
    if (way !== 0) one.animate([from, {}], { duration: SLIDE, easing: "ease-out" });
  }
}
