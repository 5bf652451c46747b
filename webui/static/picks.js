// Selected papers are put into the basket of the session, on the server.
import { enterSession } from "./addresses.js";
import { errorOf } from "./events.js";

const results = document.getElementById("results");
const size = document.getElementById("basket-size");

/** Put papers into the basket, or take them out; nothing happens where the server keeps none. */
export async function pick(ids, { remove = false, cited = false } = {}) {
  const address = results.querySelector("#selection")?.dataset.basket;
  if (!address || !ids.length) return;
  const body = new URLSearchParams(ids.map((id) => ["papers", id]));
  if (remove) body.set("remove", "1");
  if (cited) body.set("cited", "1");
  const response = await fetch(address, { method: "POST", body, headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(await errorOf(response));
  enterSession();
  size.textContent = (await response.json()).count;
}
