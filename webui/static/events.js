// Server-sent events from the answer to a POST, which EventSource cannot send.

const UNREACHED = "the server cannot be reached";
const REPLACED = "another page came in place of the answer: reload this page"; // of a proxy that asks for a login anew

/** The body of a page, or of a part of one. */
export const parsed = (html) => new DOMParser().parseFromString(html, "text/html").body;

/** What an answer with this text says that is an error, as JSON or as a page. */
export function errorIn(text, { status }) {
  try {
    return JSON.parse(text).error;
  } catch {
    const said = status > 501 ? UNREACHED : `the server answered ${status}`; // 502 by a proxy, while it starts anew
    if (status < 400) return REPLACED;
    return parsed(text).querySelector("main p")?.textContent ?? said;
  }
}

const PATIENCE = 10; // seconds that a busy server may ask for; beyond them the reader sees the message instead

/** What the server answers to a form; an Error with its one line of explanation where it refuses. */
export async function send(address, body, signal) {
  const post = () => reach(address, { method: "POST", body, signal });
  const response = await post();
  const wait = Number(response.headers.get("Retry-After"));
  if (response.status !== 429 || !(wait <= PATIENCE)) return accepted(response);
  await new Promise((resolve, reject) => {
    setTimeout(resolve, 1000 * wait);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
  return accepted(await post());
}

/** The server's answer, whatever it is; an Error in plain words where there is none. */
export async function reach(address, how) {
  try {
    return await fetch(address, how);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(UNREACHED);
  }
}

/** An answer that is none of an error, which is thrown. */
async function accepted(response) {
  if (!response.ok) throw new Error(errorIn(await response.text(), response));
  return response;
}

export const got = async (address, how) => accepted(await reach(address, how));

export const json = (response) => response.json().catch(() => { throw new Error(REPLACED); });

/** An address that asks for one thing more. */
export function withField(address, name, value) {
  const url = new URL(address, location.href);
  url.searchParams.set(name, value);
  return url;
}

/** The events of a stream as {name, data}, data parsed, as they come, until it ends or breaks off. */
export async function* eventsOf(response) {
  if (response.headers.get("Content-Type")?.startsWith("text/html")) throw new Error(REPLACED);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    const { done, value } = await reader.read().catch(() => ({ done: true }));
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { name: field("event"), data: JSON.parse(field("data")) };
    }
  }
}
