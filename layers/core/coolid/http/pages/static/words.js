// The messages of this page's scripts; the page contains them (coolid/http/pages/script_messages.json).
const block = document.getElementById("words");
const words = block ? JSON.parse(block.textContent) : {};

// Returns a message with the values of the names in braces: say("copied", {what: "…"}).
export function say(key, values) {
  return fill(words[key], values);
}

// Returns a text with the values of the names in braces.
export function fill(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The base URL of the service.
export const base = document.documentElement.dataset.base;
