// What can be done with a result: its neighbours below it, likes and dislikes.
import { accepted, parsed, reach } from "./events.js";
import { ask, button, byId, every, made, modified, results } from "./page.js";


/** The neighbours of a paper, fetched at the first click and hidden at the next. */
async function toggleSimilar(link) {
  const box = link.closest(".result").querySelector(".nearby");
  if (box.childNodes.length) {
    box.hidden = !box.hidden;
  } else {
    const address = new URL(link.href);
    address.searchParams.set("part", "1");
    link.ariaBusy = true;
    try {
      const response = await accepted(await reach(address));
      box.replaceChildren(...parsed(await response.text()).childNodes);
    } catch {
      box.textContent = "The neighbours cannot be had at the moment.";
    }
    link.ariaBusy = null;
    box.hidden = false;
  }
  link.ariaExpanded = !box.hidden;
}

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.similar");
  if (!link || modified(event)) return;
  event.preventDefault();
  toggleSimilar(link);
});

/** Order the list by "year" or "citations", the most first, or with "" as it came; it is cut only as it came. */
export function sortBy(by) {
  const lists = every("ol.results");
  const all = lists.flatMap((list) => [...list.children]);
  const place = new Map(all.map((one) => [one, Number(one.dataset.rank)]));
  all.sort((a, b) => (by ? Number(b.dataset[by]) - Number(a.dataset[by]) : 0) || place.get(a) - place.get(b));
  const cuts = lists.map((list) => [list, list.dataset.size ??= String(list.children.length)]);
  if (by) {
    lists[0].append(...all);
  } else {
    let from = 0;
    for (const [list, size] of cuts) list.append(...all.slice(from, from += Number(size)));
  }
  for (const cut of every(".cut")) cut.hidden = Boolean(by);
  for (const one of every("[name=sort]")) one.ariaPressed = one.value === by;
}

const checked = (name) => every(`[name=${name}]:checked`).map((box) => box.value);
const listed = (field) => field.value.split("\n").filter(Boolean);

/** Liking and disliking a paper exclude each other; the button that uses the marks says how many there are. */
export function countMarks(changed) {
  const other = { like: "dislike", dislike: "like" }[changed?.checked && changed.name];
  if (other) changed.closest(".marks").querySelector(`[name=${other}]`).checked = false;
  const steer = results.querySelector("[name=steer]");
  if (!steer) return;
  const before = new Set(listed(ask.elements.liked));
  const liked = checked("like");
  const shownBefore = every("[name=like]").filter((box) => before.has(box.value)).length;
  const news = checked("dislike").length + liked.filter((paper) => !before.has(paper)).length;
  const takenBack = shownBefore - liked.filter((paper) => before.has(paper)).length;
  steer.disabled = !news && !takenBack;
  for (const result of every(".result")) {
    result.classList.toggle("disliked", Boolean(result.querySelector("[name=dislike]:checked")));
  }
}

/** The marks of the list become part of the question. */
export function takeMarks() {
  const shown = new Set(every("[name=shown]").map((field) => field.value));
  const { liked, disliked } = ask.elements;
  liked.value = [...listed(liked).filter((paper) => !shown.has(paper)), ...checked("like")].join("\n");
  disliked.value = [...new Set([...listed(disliked), ...checked("dislike")])].join("\n");
  tellMarks();
}

function tellMarks() {
  const counts = [[listed(ask.elements.liked).length, "liked"], [listed(ask.elements.disliked).length, "disliked"]];
  const words = counts.filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
  let line = byId("marks-kept");
  if (!words.length) {
    line?.remove();
    return;
  }
  if (!line) {
    line = made("p", { id: "marks-kept", className: "marks-kept" });
    ask.querySelector(".options").before(line);
  }
  const forget = button("Forget them", () => {
    ask.elements.liked.value = ask.elements.disliked.value = "";
    line.remove();
    ask.requestSubmit();
  }, { className: "link" });
  line.replaceChildren(`Steered by ${words.join(" and ")}. `, forget);
}
tellMarks();
