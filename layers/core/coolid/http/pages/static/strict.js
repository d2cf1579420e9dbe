// A strict JSON parser: the text must mean the same to every reader, as in coolid/strict_json.py.
//
// JSON.parse accepts ambiguous texts: it takes the last of two members with one name, rounds whole numbers beyond
// 2^53 - 1, and accepts half a surrogate pair. A signature over such a text would prove little.
import { isWhole } from "./canonical.js";

const MOST_DEEP = 100;
const MOST_DIGITS = 17;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[-+.\deE]*|[[\]{}:,]|true|false|null/g;
const WHOLE = /^-?\d+$/;

export class NotJson extends Error {}

// Parses JSON text in UTF-8: returns {value, numbers}. `numbers` are the numbers among the members of the outermost
// object, by name, as written: 1.0 is not a version, although it equals 1 after parsing. Throws NotJson.
export function read(octets) {
  let text, value;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
    value = JSON.parse(text);
  } catch {
    throw new NotJson("it is not JSON in UTF-8");
  }
  return { value, numbers: scan(text) };
}

// Scans the tokens of JSON text, and throws for anything ambiguous.
function scan(text) {
  const numbers = new Map();
  const open = []; // of each array or object around, its names: null for an array
  let name; // whose value comes next
  let before = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const names = open.at(-1);
    const isName = names && (before === "{" || before === ",") && token !== "}";
    if (isName) {
      name = whole(token);
      if (names.has(name)) throw new NotJson("a name stands twice in one object");
      names.add(name);
    } else if (token === "]" || token === "}") {
      open.pop();
    } else if (token !== ":" && token !== ",") {
      if (open.length >= MOST_DEEP) throw new NotJson("it is nested too deep");
      if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
      else if (token[0] === '"') whole(token);
      else if (/[-\d]/.test(token[0])) {
        exact(token);
        if (names && open.length === 1) numbers.set(name, token);
      }
    }
    before = token;
  }
  return numbers;
}

function whole(token) {
  const string = JSON.parse(token);
  if (!isWhole(string)) throw new NotJson("half a surrogate pair");
  return string;
}

function exact(token) {
  const number = Number(token);
  if (!Number.isFinite(number)) throw new NotJson("a number is too large");
  if (WHOLE.test(token) && (token.length > MOST_DIGITS || !Number.isSafeInteger(number)))
    throw new NotJson("a whole number is beyond 2^53 - 1");
}
