// What several scripts ask of the page.

export const byId = (id) => document.getElementById(id);
export const ask = byId("ask");
export const results = byId("results");

document.documentElement.classList.add("scripted");

/** What the form of the question holds, [name, text] each; files are read before. */
export const typed = () => [...new FormData(ask)].filter(([, value]) => typeof value === "string");

/** What the list has of `selector`. */
export const every = (selector) => [...results.querySelectorAll(selector)];

export const rowOf = (id) => every(".result").find((row) => row.dataset.id === id);

/** Have a line read out. */
export const say = (message) => { byId("status").textContent = message; };

/** Whether somebody writes in a field, so that letters are no commands. */
export const writes = ({ target }) => target.closest?.("input:not([type=checkbox]), textarea, select");

const COMPOSING = 229; // the code of any key while an input method composes a word, also of that which ends it in Safari

/** Whether another key, or an input method, makes something else of a key or a click. */
export const modified = ({ ctrlKey, metaKey, altKey, shiftKey, type, keyCode }) =>
  ctrlKey || metaKey || altKey || keyCode === COMPOSING || (shiftKey && type === "click");

/** Hide an element or show it; the focus of what is hidden goes to `next`, so that the keyboard keeps its place. */
export function hide(element, on, next) {
  const held = on && element.contains(document.activeElement);
  element.hidden = on;
  if (held) next.focus({ preventScroll: true });
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Move the keyboard's focus so many `steps` away from one of `all`. */
export function moveFrom(here, all, steps) {
  const next = all[Math.min(Math.max(all.indexOf(here) + steps, 0), all.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

/** What a template of the page holds, once more. */
export const copyOf = (id) => byId(id).content.firstElementChild.cloneNode(true);

export function made(name, { className = "", text = "", ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const button = (text, action, attributes = {}) => {
  const element = made("button", { type: "button", text, ...attributes });
  element.addEventListener("click", action);
  return element;
};
