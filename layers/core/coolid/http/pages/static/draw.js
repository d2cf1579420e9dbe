// The lower half of the mint page: identifiers of any scheme, generated in the browser and not registered.
import { inPath } from "./prefixes.js";
import { draw, sha256, start } from "./schemes.js";
import { Unfit } from "./unfit.js";
import { base, say } from "./words.js";

const MOST_BYTES = 256 * 1024 * 1024; // of a file: all of it is in memory while its digest is computed
const BARE = "bare";
const UNDER_PREFIX = "prefix";
const AT_RESOLVER = "resolver";
// The resolvers of schemes that resolve identifiers of every owner. N2T resolves ARKs by their form, and none of the
// others.
const STARTS = { cooldoi: "10.", noid: "ark:", pilin: "" };
const RESOLVERS = { cooldoi: "https://doi.org/", noid: "https://n2t.net/", pilin: "https://hdl.handle.net/" };

const form = document.getElementById("draw-form");
const scheme = form.elements.scheme;
const status = document.getElementById("draw-message");
const requestedPrefix = new URLSearchParams(location.search).get("prefix") ?? "";
const result = document.getElementById("drawn-result");
const list = document.getElementById("drawn");
const download = document.getElementById("drawn-download");
let format = UNDER_PREFIX; // how identifiers are to be written, where they can be
let answering = 0; // which press of the button is answered

scheme.addEventListener("change", show);
form.elements.as.addEventListener("change", () => {
  format = form.elements.as.value;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer();
});
download.addEventListener("click", save);
show();
document.getElementById("draw-button").disabled = false;

// Enables only the fields that the scheme uses; the others are not validated.
function show() {
  for (const part of form.querySelectorAll("[data-for], [data-not-for]")) {
    const { for: only = scheme.value, notFor = "" } = part.dataset;
    part.hidden = only !== scheme.value || notFor === scheme.value;
    for (const control of part.querySelectorAll("input, select")) control.disabled = part.hidden;
  }
  const chosen = scheme.selectedOptions[0];
  // The page of a prefix leads here with that prefix. Without a prefix, identifiers have no other format.
  if (chosen.dataset.prefix !== undefined) form.elements.prefix.value = chosen.dataset.prefix || requestedPrefix;
  const resolver = RESOLVERS[scheme.value];
  const option = document.getElementById("draw-resolver");
  option.hidden = option.disabled = !resolver;
  if (resolver) option.textContent = say("draw-at", { host: new URL(resolver).host });
  const possible = format === AT_RESOLVER && !resolver ? UNDER_PREFIX : format;
  form.elements.as.value = form.elements.prefix.value ? possible : BARE;
}

async function answer() {
  const mine = (answering += 1);
  const chosen = scheme.value;
  try {
    const write = written(); // the current choice, because digests of large files take time
    const lines = (await identifiers()).map(write);
    if (mine !== answering) return;
    list.textContent = lines.join("\n");
    status.className = "good";
    status.textContent = lines.length === 1 ? say("draw-one") : say("draw-many", { number: lines.length });
    download.dataset.scheme = chosen;
    result.hidden = false;
  } catch (wrong) {
    if (mine !== answering) return;
    result.hidden = true;
    status.className = "bad";
    status.textContent = wrong instanceof Unfit ? say(wrong.key, wrong.values) : say("draw-failed");
    if (!(wrong instanceof Unfit)) throw wrong;
  }
}

async function identifiers() {
  const { elements } = form;
  if (scheme.value === "sha256") return digests([...elements.files.files]);
  return draw(scheme.value, {
    symbols: Number(elements.symbols.value),
    version: Number(elements.version.value),
    template: elements.template.value.trim(),
    naan: elements.naan.value.trim(),
    prefix: elements.prefix.value,
    namespace: elements.namespace.value.trim(),
    objectType: elements.objectType.value.trim(),
    issued: elements.issued.value,
  }, Number(elements.number.value));
}

async function digests(files) {
  if (!files.length) throw new Unfit("unfit-no-file");
  const found = [];
  for (const file of files) { // one at a time, because each is read into memory
    if (file.size > MOST_BYTES) throw new Unfit("unfit-file", { name: file.name, megabytes: MOST_BYTES / 2 ** 20 });
    found.push(await sha256(await file.arrayBuffer()));
  }
  return found;
}

// Returns the function that formats an identifier: alone, after the prefix, or as a URL at a resolver.
function written() {
  const as = form.elements.as.value;
  if (as === BARE || scheme.value === "contextual") return (identifier) => identifier;
  const opening = start(scheme.value, form.elements.prefix.value);
  if (!opening) throw new Unfit("unfit-prefix");
  if (as === UNDER_PREFIX) return (identifier) => opening + identifier;
  if (as === AT_RESOLVER && !opening.startsWith(STARTS[scheme.value])) {
    throw new Unfit("unfit-resolver", { start: STARTS[scheme.value] });
  }
  const resolver = as === AT_RESOLVER ? RESOLVERS[scheme.value] : `${base}/`;
  return (identifier) => resolver + inPath(opening + identifier);
}

function save() {
  const url = URL.createObjectURL(new Blob([`${list.textContent}\n`], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: `${download.dataset.scheme}.txt` });
  link.click();
  URL.revokeObjectURL(url);
}
