// Which papers a map shows: those of some years whose title or byline has some words.
import { made } from "./page.js";

const entry = (text, attributes, changed) => {
  const input = made("input", { autocomplete: "off", ...attributes });
  input.addEventListener("input", changed);
  // The field stands in the form of the list, which Enter would send.
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  return { input, label: made("label", { text: `${text} ` }, input) };
};

/** The labelled fields of a filter, and whether it `keeps` a paper; `changed` is called when somebody types. */
export function filterFields(changed) {
  const year = { inputmode: "numeric", maxlength: 4, size: 4 };
  const [from, to, words] = [entry("From", year, changed), entry("to", year, changed),
    entry("Words", { maxlength: 100, size: 14 }, changed)];
  const keeps = (paper) => {
    const [first, last] = [Number(from.input.value) || 0, Number(to.input.value) || Infinity];
    const dated = (!first && last === Infinity) || (paper.year !== null && paper.year >= first && paper.year <= last);
    const text = `${paper.title} ${paper.byline}`.toLowerCase();
    return dated && words.input.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };
  return { labels: [from.label, to.label, words.label], keeps };
}
