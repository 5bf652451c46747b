// What can be done with a result: its neighbours below it, likes and dislikes.
import { keepHere, order } from "./addresses.js";
import { got, parsed, withField } from "./events.js";
import { ask, byId, every, hide, modified, results } from "./page.js";

/** The neighbours of a paper, fetched at the first click and hidden at the next. */
async function toggleSimilar(link) {
  const box = link.closest(".result").querySelector(".nearby");
  if (box.children.length) {
    box.hidden = !box.hidden;
  } else {
    box.textContent = "Searching…";
    box.hidden = false;
    try {
      const response = await got(withField(link.href, "part", "1"));
      box.replaceChildren(...parsed(await response.text()).childNodes);
    } catch (error) {
      box.textContent = `The neighbours cannot be loaded: ${error.message}.`;
    }
  }
  link.ariaExpanded = !box.hidden;
}

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.similar");
  if (!link || modified(event)) return;
  event.preventDefault();
  toggleSimilar(link);
});

/** Put a list into the chosen order, by "year" or "citations" the most first; it is cut only as it came. */
export function sort(list = results) {
  const by = order();
  const inside = (selector) => [...list.querySelectorAll(selector)];
  const lists = inside("ol.results");
  if (!lists.length) return;
  const all = lists.flatMap((list) => [...list.children]);
  all.sort(({ dataset: a }, { dataset: b }) => (by ? b[by] - a[by] : 0) || a.rank - b.rank);
  const cuts = lists.map((list) => [list, list.dataset.size ??= list.children.length]);
  if (by) {
    lists[0].append(...all);
  } else {
    let from = 0;
    for (const [list, size] of cuts) list.append(...all.slice(from, from += Number(size)));
  }
  for (const cut of inside(".cut")) cut.hidden = Boolean(by);
  for (const one of inside("[name=sort]")) one.ariaPressed = one.value === by;
}

const marksKept = byId("marks-kept");
const valuesOf = (selector) => every(selector).map((field) => field.value);
const listed = (field) => field.value.split("\n").filter(Boolean);

let marked = history.state?.marks; // what this page was left with, until its list is there

/** Liking and disliking a paper exclude each other; the button uses marks that are not part of the question yet. */
export function countMarks(changed) {
  const other = { like: "dislike", dislike: "like" }[changed?.checked && changed.name];
  if (other) changed.closest(".marks").querySelector(`[name=${other}]`).checked = false;
  const boxes = every(".marks input");
  const nameOf = ({ name, value }) => `${name} ${value}`;
  if (marked && boxes.length) {
    for (const box of boxes) box.checked = marked.includes(nameOf(box));
    marked = null;
  }
  if (changed?.closest(".marks")) keepHere({ marks: boxes.filter((box) => box.checked).map(nameOf) });
  const steer = results.querySelector("[name=steer]");
  if (!steer) return;
  const before = listed(results.querySelector("[name=liked]"));
  const changes = (box) => box.checked !== (box.name === "like" && before.includes(box.value));
  steer.disabled = true;
  for (const result of every(".result")) {
    const [like, dislike, refine] = result.querySelectorAll(".marks :is(input, button)");
    refine.hidden = ![like, dislike].some(changes);
    steer.disabled &&= refine.hidden;
    result.classList.toggle("disliked", dislike.checked);
  }
}

/** The marks of the list become part of whatever is asked next. */
export function takeMarks() {
  const shown = valuesOf("[name=shown]");
  for (const mark of ["like", "dislike"]) {
    const field = ask.elements[`${mark}d`];
    field.value = [...listed(field).filter((paper) => !shown.includes(paper)), ...valuesOf(`[name=${mark}]:checked`)].join("\n");
  }
  tellMarks();
}

function tellMarks() {
  const counts = ["liked", "disliked"].map((what) => [listed(ask.elements[what]).length, what]);
  const words = counts.filter(([count]) => count).map(([count, what]) => `${count} ${what}`).join(" and ");
  hide(marksKept, !words, byId("find"));
  marksKept.querySelector("span").textContent = `${words} ${/^1 \w+$/.test(words) ? "paper" : "papers"}`;
}
tellMarks();

marksKept.querySelector("button").addEventListener("click", () => {
  ask.elements.liked.value = ask.elements.disliked.value = "";
  for (const mark of every("[name=like], [name=dislike]")) mark.checked = false;
  tellMarks();
  ask.requestSubmit();
});
