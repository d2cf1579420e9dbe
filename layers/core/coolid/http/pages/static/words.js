// What this page's scripts say, in the page's language: the page brings it (coolid/http/pages/script_messages.json).
const block = document.getElementById("words");
const words = block ? JSON.parse(block.textContent) : {};

// The sentence of that key, with what stands in braces filled in: say("copied", {what: "…"}).
export function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// Where the service is: all addresses begin so.
export const base = document.documentElement.dataset.base;
