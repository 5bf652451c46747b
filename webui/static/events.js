// Server-sent events from the answer to a POST, which EventSource cannot send.

/** The message of an answer that is an error. */
export async function errorOf(response) {
  try {
    return (await response.json()).error;
  } catch {
    return `the server answered ${response.status}`;
  }
}

/** What the server answers to a form; an Error with its one line of explanation where it refuses. */
export async function send(address, body, signal) {
  let response;
  try {
    response = await fetch(address, { method: "POST", body, signal });
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error("the server cannot be reached");
  }
  if (!response.ok) throw new Error(await errorOf(response));
  return response;
}

/** The events of a stream as {name, data}, data parsed, as they come. */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    const { done, value } = await reader.read();
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
