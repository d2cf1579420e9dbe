// The home page: explains the text in the search box while the user types (GET /api/v1/parse).
//
// Without this script, submitting the form does the same. An empty box causes no request, and a new text cancels the
// request for the previous one.
import { inPath, opening } from "./prefixes.js";
import { base, say } from "./words.js";

const PATIENCE = 150; // milliseconds for which nobody types
const LONGEST = 8000; // characters of an address that every gateway takes
// Schemes whose identifiers always have check characters; for the others, the rules decide.
const CHECKED = new Set(["isbn", "isni", "issn", "lui", "orcid", "ror"]);

const box = document.getElementById("q");
const result = document.getElementById("message");
const more = document.getElementById("more");
let timer = 0;
let asking = null;

box.addEventListener("input", () => {
  clearTimeout(timer);
  asking?.abort();
  const text = typed();
  if (!text) return show([], []);
  timer = setTimeout(() => look(text), PATIENCE);
});
// When a browser returns to this page, it may restore the text.
if (typed() && !result.firstElementChild) look(typed());

function typed() {
  return box.value.trim();
}

async function look(text) {
  const query = new URLSearchParams({ id: text });
  if (String(query).length > LONGEST) return show([paragraph(say("home-long", { size: text.length }), "bad")], []);
  const mine = (asking = new AbortController());
  try {
    const answer = await fetch(`${base}/api/v1/parse?${query}`, {
      headers: { Accept: "application/json" },
      signal: mine.signal,
      credentials: "omit",
    });
    if (!answer.ok) return show([paragraph(refusal(answer.status), "bad")], []);
    const parsed = await answer.json();
    if (!mine.signal.aborted) show(summary(parsed), steps(parsed));
  } catch {
    if (!mine.signal.aborted) show([paragraph(say("home-offline"), "bad")], []);
  }
}

function refusal(status) {
  return status === 503 || status === 429 ? say(`home-${status}`) : say("home-failed", { status });
}

// Shows the result: the verdict, the target, then the alternatives.
function summary(parsed) {
  const { candidates, prefix, canonical, location, suggestions, curies, found } = parsed;
  const last = parsed.steps.at(-1)?.detail ?? "";
  const first = candidates[0];
  const parts = [];
  if (found.length) parts.push(...choice(say("home-found"), found));
  if (found.length > 1) return [panel(parts)];
  if (!isPrefix(parsed)) parts.push(...verdict(parsed));
  if (location) {
    parts.push(paragraph(say("home-leads"), "", link(location, location)));
    if (canonical && !isPrefix(parsed)) parts.push(aboutLinks(here(canonical)));
  } else if (last && last !== first?.reason) parts.push(paragraph(outcome(last), prefix ? "" : "bad"));
  if (!prefix && first?.valid && isTelling(first) && !curies.length) parts.push(paragraph(say("home-resolve")));
  const details = [
    canonical && !found.includes(canonical) && [say("home-canonical"), link(here(canonical), canonical)],
    prefix && [say("home-prefix"), link(here(prefix), prefix)],
  ].filter(Boolean);
  if (details.length) parts.push(definitions(details));
  // Suggestions have no prefix, unless they correct the prefix itself.
  parts.push(...choice(say("home-suggestions"), suggestions.map((each) => (prefix ? opening(prefix) : "") + each)));
  parts.push(...choice(say("home-guesses"), guesses(candidates)));
  // The text itself is not suggested again.
  parts.push(...choice(say("home-curies"), curies.filter((each) => each !== canonical)));
  return [panel(parts)];
}

// Returns the identifiers that a text without a prefix could be.
function guesses(candidates) {
  return candidates.filter(({ scheme, guess }) => guess && scheme === "curie").map(({ canonical }) => canonical);
}

function verdict({ candidates, prefix, steps }) {
  const first = candidates[0];
  if (!first) return prefix ? [] : [paragraph(say("home-unknown"), "bad")];
  if (first.guess && !isTelling(first)) return [];
  if (!first.valid) {
    const [wrong, reason] = [say("home-wrong", { schemes: name(first) }), sentence(first.reason)];
    return [paragraph(`${wrong} ${reason}`, "bad")];
  }
  const valid = candidates.filter((each) => each.valid);
  const telling = valid.filter(isTelling);
  const schemes = (telling.length ? telling : valid).map(name).join(", ");
  const isChecked =
    CHECKED.has(first.scheme) || steps.some(({ step, detail }) => step === "rule" && detail.includes(", check "));
  return [paragraph(say(isChecked ? "home-checked" : "home-valid", { schemes }), "good")];
}

// Any text with a colon could be a CURIE, so that this scheme is shown only alone.
function isTelling({ scheme }) {
  return scheme !== "curie";
}

function isPrefix({ steps }) {
  return steps.some(({ step }) => step === "describe");
}

function name({ scheme }) {
  try {
    return say(`scheme-${scheme}`);
  } catch {
    return scheme; // a scheme that is newer than this page's messages
  }
}

// Returns the URL of an identifier here.
function here(identifier) {
  return `${base}/${inPath(identifier)}`;
}

// Returns the detail of a step as a sentence. An identifier at its beginning keeps its case.
function outcome(detail) {
  return /^(an?|it|its|the|there|nobody)\s/.test(detail) ? sentence(detail) : `${detail}.`;
}

function sentence(text) {
  const readable = legible(text);
  return `${readable.charAt(0).toUpperCase()}${readable.slice(1)}.`;
}

// Returns a symbol that the service escaped, or its number if the symbol is invisible.
function legible(text) {
  return text.replace(/'\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00[01][0-9a-f]{5}))'/g, (_, ...codes) => {
    const code = parseInt(codes.find(Boolean), 16);
    const symbol = code > 0x10ffff ? "" : String.fromCodePoint(code);
    const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    return /^[^\p{C}\p{Z}\p{M}]$/u.test(symbol) ? `“${symbol}” (${number})` : number;
  });
}

function show(summaries, details) {
  result.replaceChildren(...summaries);
  more.replaceChildren(...details);
}

function steps(parsed) {
  const list = made("ol", ...parsed.steps.map(({ step, detail }) => made("li", soft(step), ` ${legible(detail)}`)));
  return [made("details", made("summary", say("home-steps")), list)];
}

function choice(heading, identifiers) {
  if (!identifiers.length) return [];
  return [made("p", heading), made("ul", ...identifiers.map((each) => made("li", link(here(each), each))))];
}

// Returns links to the page of an identifier, and to its citation and QR code there.
function aboutLinks(address) {
  const targets = [["home-about", ""], ["home-cite", "#cite"], ["home-qr", "#qr"]];
  const row = made("p", ...targets.map(([key, part]) => link(`${address}?info${part}`, say(key))));
  row.className = "row";
  return row;
}

function definitions(pairs) {
  const list = made("dl", ...pairs.flatMap(([term, meaning]) => [made("dt", term), made("dd", meaning)]));
  list.className = "facts";
  return list;
}

function panel(parts) {
  const element = made("div", ...parts);
  element.className = "panel";
  return element;
}

function paragraph(text, style = "", behind = null) {
  const element = made("p", text, ...(behind ? [" ", behind] : []));
  if (style) element.className = style;
  return element;
}

function soft(text) {
  const element = made("span", text);
  element.className = "soft";
  return element;
}

function link(address, text) {
  const element = made("a", text);
  // Locations were validated when they were written; others do not become links.
  if (/^https?:\/\/[^\s\\]+$/i.test(address)) element.href = address;
  return element;
}

function made(kind, ...children) {
  const element = document.createElement(kind);
  element.append(...children);
  return element;
}
