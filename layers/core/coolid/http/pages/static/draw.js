// The page that mints, its lower half: identifiers of any scheme, drawn in the browser and registered nowhere.
import { inPath } from "./prefixes.js";
import { draw, sha256, start } from "./schemes.js";
import { Unfit } from "./unfit.js";
import { base, say } from "./words.js";

const MOST_BYTES = 256 * 1024 * 1024; // of a file: all of it is in memory while its digest is computed
const BARE = "bare";
const UNDER_PREFIX = "prefix";
const AT_RESOLVER = "resolver";
// Where identifiers of a scheme are resolved whoever keeps them; N2T knows ARKs by their form, and no others of these.
// Such are all that their resolvers know.
const STARTS = { cooldoi: "10.", noid: "ark:", pilin: "" };
const RESOLVERS = { cooldoi: "https://doi.org/", noid: "https://n2t.net/", pilin: "https://hdl.handle.net/" };

const form = document.getElementById("draw-form");
const scheme = form.elements.scheme;
const told = document.getElementById("draw-told");
const wanted = new URLSearchParams(location.search).get("prefix") ?? "";
const result = document.getElementById("drawn-result");
const list = document.getElementById("drawn");
const download = document.getElementById("drawn-download");
let asked = UNDER_PREFIX; // how identifiers are to be written, where they can be
let answering = 0; // which press of the button is answered

scheme.addEventListener("change", show);
form.elements.as.addEventListener("change", () => {
  asked = form.elements.as.value;
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  answer();
});
download.addEventListener("click", save);
show();
form.hidden = false;

// Only the fields that the scheme looks at; others are neither seen nor checked.
function show() {
  for (const part of form.querySelectorAll("[data-for], [data-not-for]")) {
    const { for: only = scheme.value, notFor = "" } = part.dataset;
    part.hidden = only !== scheme.value || notFor === scheme.value;
    for (const control of part.querySelectorAll("input, select")) control.disabled = part.hidden;
  }
  const chosen = scheme.selectedOptions[0];
  // Whoever comes from a prefix's page minds that prefix; without any, identifiers can only be written alone.
  if (chosen.dataset.prefix !== undefined) form.elements.prefix.value = chosen.dataset.prefix || wanted;
  const resolver = RESOLVERS[scheme.value];
  const option = document.getElementById("draw-resolver");
  option.hidden = option.disabled = !resolver;
  if (resolver) option.textContent = say("draw-at", { host: new URL(resolver).host });
  const possible = asked === AT_RESOLVER && !resolver ? UNDER_PREFIX : asked;
  form.elements.as.value = form.elements.prefix.value ? possible : BARE;
}

async function answer() {
  const mine = (answering += 1);
  const chosen = scheme.value;
  try {
    const write = written(); // as the form is now: digests of large files take a while
    const lines = (await identifiers()).map(write);
    if (mine !== answering) return;
    list.textContent = lines.join("\n");
    told.className = "good";
    told.textContent = lines.length === 1 ? say("draw-one") : say("draw-many", { number: lines.length });
    download.dataset.scheme = chosen;
    result.hidden = false;
  } catch (wrong) {
    if (mine !== answering) return;
    result.hidden = true;
    told.className = "bad";
    told.textContent = wrong instanceof Unfit ? say(wrong.key, wrong.values) : say("draw-failed");
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
  for (const file of files) { // one after the other, since each is held whole
    if (file.size > MOST_BYTES) throw new Unfit("unfit-file", { name: file.name, megabytes: MOST_BYTES / 2 ** 20 });
    found.push(await sha256(await file.arrayBuffer()));
  }
  return found;
}

// How an identifier is written: alone, behind the prefix, or as a URL at a resolver.
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
