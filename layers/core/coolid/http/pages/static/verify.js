// Loads the record that the page shows, its predecessor and the service's keys, and shows each check of proof.js with its
// result.
import { compare, day } from "./shown.js";
import { NotJson, read } from "./strict.js";
import { base, say } from "./words.js";

const MOST_VERSIONS = 50;
const PATIENCE = 30_000; // milliseconds
const OPEN = ["proof-key-unknown", "verify-asked"]; // after which nothing can be said either way
const section = document.getElementById("proof");
const part = (name) => section.querySelector(`[data-part="${name}"]`);
const { pid, issuer, version, known, statement } = section.dataset; // `known` was the newest version when the page was made

// A reason why something cannot be checked, as a sentence.
export class Hindrance extends Error {}

// Runs while the browser is idle, because nobody waits for it.
(window.requestIdleCallback ?? setTimeout)(() => {
  start(1);
  lookForNewer();
});

async function start(depth) {
  show("", say("verify-busy"));
  try {
    const { keys, newest, older } = await fetched(depth);
    const verdict = await judged(newest, keys, older);
    part("checks").replaceChildren(...verdict.checks.map(item));
    part("steps").hidden = false;
    show(...summed(verdict, newest.value));
    offer(verdict, older.length);
    if (depth === 1 && verdict.ok) checkLog(newest.value.proof);
  } catch (error) {
    const isExpected = error instanceof Hindrance;
    show("soft", say("verify-unchecked"), isExpected ? error.message : say("verify-broken"));
    if (!isExpected) throw error;
  }
}

// Returns all inputs of a verdict: {keys, newest, older}, documents parsed by strict.js.
async function fetched(depth) {
  // Browsers provide it only if nobody can change the scripts in transit.
  if (!globalThis.crypto?.subtle) throw new Hindrance(say("verify-insecure"));
  const [keys, newest] = await Promise.all([documentAt("/.well-known/jwks.json", [200]), versionOf(version)]);
  if (newest === null) throw new Hindrance(say("verify-missing"));
  const older = [];
  for (let number = version - 1; number > 0 && older.length < depth; number -= 1) {
    const found = await versionOf(number);
    // It was not public then, or another service signed it, whose keys are not here.
    if (found === null || found.value?.issuer !== newest.value?.issuer) break;
    older.push(found);
  }
  return { keys: keys.value, newest, older };
}

function versionOf(number) {
  return documentAt(`${path()}?format=linkid&version=${number}`, [200, 404, 410]);
}

// Returns the path of the record here; it is the same for every issuer.
function path() {
  return pid.startsWith(`${issuer}/`) ? pid.slice(issuer.length) : new URL(pid).pathname;
}

// Shows a link if the record changed after a cached page was made.
async function lookForNewer() {
  const current = await documentAt(`${path()}?format=linkid`, [200, 410]).catch(() => null);
  if (current?.value?.pid !== pid || !(current.value.version > known)) return;
  const link = document.createElement("a");
  link.href = `${base}${path()}?format=html&version=${current.value.version}`; // which no cache on the way has from before
  link.textContent = say("verify-newer-link");
  const notice = document.createElement("p");
  const isGone = current.value.status === "withdrawn";
  notice.append(marked("bad", say(isGone ? "verify-newer-gone" : "verify-newer")), " ", link);
  part("verdict").before(notice);
}

// Returns {status, octets} of the answer at a path. Throws Hindrance for another status than these.
export async function octetsAt(path, statuses) {
  let answer, octets;
  const signal = AbortSignal.timeout?.(PATIENCE);
  try {
    answer = await fetch(base + path, { cache: "no-cache", credentials: "omit", redirect: "error", signal });
    octets = new Uint8Array(await answer.arrayBuffer());
  } catch {
    throw new Hindrance(say("verify-silent"));
  }
  if (!statuses.includes(answer.status)) throw new Hindrance(say("verify-refused", { status: answer.status }));
  return { status: answer.status, octets };
}

// Returns a document parsed by strict.js, or null if the service has no public one.
export async function documentAt(path, statuses) {
  const { status, octets } = await octetsAt(path, statuses);
  if (status === 404) return null;
  try {
    return read(octets);
  } catch (error) {
    if (error instanceof NotJson) throw new Hindrance(say("verify-unreadable"));
    throw error;
  }
}

// Returns the verdict on the record and on the page that shows it.
async function judged(newest, keys, older) {
  const { verify } = await import("./proof.js"); // imported late, so that the page appears first
  const verdict = await verify(newest, keys, older, { pid });
  if (verdict.checks.some(({ name }) => name === "document")) return verdict; // it is no record
  const checks = [...verdict.checks, ...compare(newest.value, { statement, version })];
  return { ...verdict, checks, ok: checks.every(({ passed }) => passed) };
}

// Returns the verdict as a CSS class, a word and a sentence.
function summed({ checks, ok, iat }, record) {
  const failed = checks.find(({ passed }) => !passed);
  if (ok) {
    const values = { issuer, date: day(iat), base };
    if (issuer !== base) return ["soft", say("verify-elsewhere"), say("verify-elsewhere-why", values)];
    const key = record.status === "withdrawn" ? "verify-tombstone-why" : "verify-genuine-why";
    return ["good", say("verify-genuine"), `${say(key, values)} ${sentence(checks.at(-1))}`];
  }
  if (checks.every(({ passed, key }) => passed || OPEN.includes(key))) {
    if (failed.key === "verify-asked") return ["soft", say("verify-unchecked"), sentence(failed)];
    const key = issuer === base ? "verify-stranger" : "verify-stranger-issuer";
    return ["soft", say("verify-unchecked"), say(key, { issuer, base })];
  }
  return ["bad", say("verify-forged"), say("verify-forged-why", { why: sentence(failed) })];
}

// Shows whether the transparency log contains the version, as soon as the section is half a screen away. Most readers never get
// there.
function checkLog(proof) {
  const file = `${path()}?format=tlog-proof&version=${version}`;
  const see = async ([{ isIntersecting }], observer) => {
    if (!isIntersecting) return;
    observer.disconnect();
    const { showInclusion } = await import("./log-check.js");
    await showInclusion(part("log"), marked, proof, file);
  };
  new IntersectionObserver(see, { rootMargin: "50%" }).observe(section);
}

function sentence({ key, values, version }) {
  const said = say(key, values);
  return version === undefined ? said : say("verify-older", { version, said });
}

function item(check) {
  const made = document.createElement("li");
  const mark = check.passed ? marked("good", say("verify-held")) : marked("bad", say("verify-failed"));
  made.append(mark, " ", sentence(check));
  return made;
}

function show(colour, word, why = "") {
  part("verdict").replaceChildren(marked(colour, word), why && ` ${why}`);
  part("verdict").hidden = false;
}

function marked(colour, word) {
  const mark = document.createElement("strong");
  mark.className = colour;
  mark.textContent = word;
  return mark;
}

// Adds the button that checks more older versions.
function offer({ complete }, checked) {
  const button = part("history");
  button.hidden = complete || checked === 0 || checked >= Math.min(version - 1, MOST_VERSIONS);
  button.textContent = say("verify-history", { most: Math.min(version, MOST_VERSIONS + 1) });
  button.onclick = () => {
    button.hidden = true; // it had the focus
    part("steps").querySelector("summary").focus();
    start(MOST_VERSIONS);
  };
}
