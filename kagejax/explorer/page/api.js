// Talks to the server: plain JSON, and answers that come line by line.

export class Refused extends Error {
  constructor(status, answer) {
    super(answer.message || `The server answered ${status}.`);
    this.status = status;
    this.answer = answer;
  }
}

const GONE = "The server does not answer; is kagejax explore still running?";

async function send(address, asked, signal) {
  try {
    const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked), signal };
    return await fetch(address, asked === undefined ? { signal } : options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { message: GONE });
  }
}

async function refusal(response) {
  const text = await response.text();
  try {
    return new Refused(response.status, JSON.parse(text));
  } catch {
    return new Refused(response.status, { message: text.trim() });
  }
}

export async function ask(address, asked) {
  const response = await send(address, asked);
  if (!response.ok) throw await refusal(response);
  return response.json();
}

export async function* pieces(address, asked, signal) {
  const response = await send(address, asked, signal);
  if (!response.ok) throw await refusal(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { message: GONE });
  } finally {
    reader.cancel().catch(() => {});
  }
}
