// Selected papers are put into the basket: of the session, on the server, or of this browser.
import { enterSession } from "./addresses.js";
import { got, json } from "./events.js";
import { byId, every, made, modified, results, rowOf, say } from "./page.js";
import * as storage from "./storage.js";

const size = byId("basket-size");
const onTheWay = new Set(); // requests to change it
const addressOfBasket = () => results.querySelector("#selection")?.dataset.basket;

/** Whether there is a basket. */
export const canPick = () => storage.local || Boolean(addressOfBasket());

/** Whether a paper that a map shows is in it. */
export const isPicked = ({ id, picked }) => (storage.local ? storage.isKept(id) : picked);

/** What the list says of a paper. */
function listed(id) {
  const row = rowOf(id);
  const href = (selector) => row.querySelector(selector)?.getAttribute("href") ?? "";
  const words = (selector) => row.querySelector(selector)?.textContent.trim() ?? "";
  const byline = [words(".authors"), words(".where"), words(".retracted")].filter(Boolean).join(" · ");
  return { id, title: words("h3"), byline, link: href("h3 a"), doi: href(".doi"), pdf: href(".pdf") };
}

/** Put papers into the basket, or take them out; nothing happens where there is none. `about` tells of one by its id. */
export async function pick(ids, { remove = false, cited = false, about = listed } = {}) {
  if (!ids.length) return;
  if (storage.local) {
    size.textContent = storage.pick(ids.map(about), { remove, cited });
    return;
  }
  if (!addressOfBasket()) return;
  const body = new URLSearchParams(ids.map((id) => ["papers", id]));
  if (remove) body.set("remove", "1");
  if (cited) body.set("cited", "1");
  // What is cited may be many: browsers refuse to keep more than 64 kB alive.
  const how = { method: "POST", body, headers: { Accept: "application/json" }, keepalive: !cited };
  const sent = got(addressOfBasket(), how).finally(() => onTheWay.delete(sent));
  onTheWay.add(sent);
  const response = await sent;
  enterSession();
  size.textContent = (await json(response)).count;
}

/** Keep a tick of the list, or that it was taken away; where that fails it is undone, and the paper says why. */
export async function keepTick(box) {
  const row = box.closest(".result");
  row.querySelector(".not-kept")?.remove();
  try {
    await pick([box.value], { remove: !box.checked });
    if (canPick()) say(box.checked ? "In the basket" : "Taken out of the basket");
  } catch (error) {
    box.checked = !box.checked;
    const text = `Not ${box.checked ? "taken out of" : "put into"} the basket: ${error.message}`;
    const line = made("p", { className: "error not-kept", role: "alert", text });
    row.querySelector(".body").prepend(line);
    line.scrollIntoView({ block: "nearest" });
  }
}

/** Tick what this browser has in its basket; of a session the server has done so. */
export function tickKept() {
  if (!storage.local) return;
  for (const box of every(".result [name=papers]")) box.checked ||= storage.isKept(box.value);
}

// Who goes to the basket finds there what was just ticked, or stays where it says why not; a second click does not wait.
size?.parentElement.addEventListener("click", async (event) => {
  const link = event.currentTarget;
  if (!onTheWay.size || link.ariaBusy || modified(event)) return;
  event.preventDefault();
  link.ariaBusy = true;
  const ends = await Promise.allSettled(onTheWay);
  link.ariaBusy = null;
  if (ends.every(({ status }) => status === "fulfilled")) location.assign(link.href);
});

if (storage.local) size.textContent = storage.picks().length;
