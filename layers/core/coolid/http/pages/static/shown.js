// Compares the page with the verified record: the address of the page, its version, and every text and link that has the
// JSON Pointer of its value in the record (data-said, RFC 6901). Checks have the form of proof.js.
import { base } from "./words.js";

const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";
const WEB = /^https?:\/\//i;
const CUT = 100; // characters of a text that is shown in part, at least

// The original texts, because translators and others may change them later.
const shown = [...document.querySelectorAll("main [data-said]")].map(({ dataset, localName, textContent, href, dateTime }) => {
  return { place: dataset.said, text: textContent, href, moment: localName === "time" ? dateTime : undefined };
});
const leading = [...document.querySelectorAll(".record > .row > a")].map(({ href }) => href);
const astray = document.querySelector(".places a:not([data-said])")?.href;

// Returns three checks: of the version, of the address, and of the displayed texts and links.
// The version is identified by its signed statement, because a statement can have two valid signatures.
export function compare(record, { statement, version }) {
  const isOne = record.proof?.split?.(".")[1] === statement && String(record.version) === version;
  const page = isOne ? held("verify-page-held") : failed("verify-page");
  return [page, checkAddress(record, new URL(location.href)), checkTexts(record)];
}

function held(key, values) {
  return { name: "page", passed: true, key, values };
}

function failed(key, values) {
  return { ...held(key, values), passed: false };
}

// Returns whether the address requests this record, as in `coolid verify` (client/pids.py): the PID itself does; at this
// service, the same local part does too, with any prefix.
function checkAddress({ pid, id, issuer, version }, url) {
  const number = url.searchParams.get("memento") ?? url.searchParams.get("version");
  if (/^\d+$/.test(number ?? "") && Number(number) !== version) {
    return failed("verify-asked-version", { asked: number, version });
  }
  const whole = url.origin + url.pathname;
  const local = decoded(whole.startsWith(`${base}/`) ? whole.slice(base.length + 1) : url.pathname.slice(1));
  const isIt =
    local === decoded(pid.slice(issuer.length + 1)) || (issuer === base && isSame(local, id, pid.includes("/ark:")));
  return isIt ? held("verify-asked-held") : failed("verify-asked", { pid });
}

function isSame(local, id, isArk) {
  const last = local.split(/[/:]/).at(-1);
  const isEnd = (text, end) => text === end || text.endsWith(`/${end}`) || text.endsWith(`:${end}`);
  if (isEnd(local, id) || (isArk && isEnd(bare(local), bare(id)))) return true;
  if (/^[\da-f-]{32,}$/.test(id)) return bare(last).toLowerCase() === bare(id); // UUIDs, digests
  return compact(last) === compact(id) && isLui(compact(id));
}

function bare(text) {
  return text.replaceAll("-", "");
}

function compact(text) {
  return bare(text).toLowerCase().replaceAll("o", "0").replace(/[il]/g, "1");
}

// Returns whether the text has two valid check digits (ISO/IEC 7064, MOD 97-10).
function isLui(text) {
  if (!/^[\da-hjkmnp-tv-z]+\d\d$/.test(text)) return false;
  const number = [...text.slice(0, -2)].reduce((sum, each) => sum * 32n + BigInt(SYMBOLS.indexOf(each)), 0n);
  return (number * 100n + BigInt(text.slice(-2))) % 97n === 1n;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function checkTexts(record) {
  const pairs = shown.map((each) => {
    const expected = each.place.split("/").slice(1).reduce((value, name) => value?.[unescaped(name)], record);
    return [typeof expected === "string" ? difference(each, expected) : each.text, expected];
  });
  pairs.push([leading.find((href) => href !== resolved(record.pid)), record.pid]);
  pairs.push([record.records?.length ? astray : undefined, ""]);
  const wrong = pairs.find(([instead]) => instead !== undefined);
  if (wrong) return failed("verify-shown", { shown: brief(wrong[0]), said: brief(wrong[1] ?? "") });
  const isComplete = record.status !== "withdrawn" || shown.some(({ place }) => place === "/withdrawn/at");
  return isComplete ? held("verify-shown-held", { number: shown.length }) : failed("verify-shown-gone");
}

// Returns the displayed text if it differs from the record's, else undefined.
function difference({ text, href, moment }, expected) {
  if (moment !== undefined) return moment === expected && isDay(text, expected) ? undefined : text;
  const normalized = expected.replace(/\r\n?/g, "\n").replaceAll("\0", ""); // as HTML has it
  const isPart =
    (text.length > CUT && text.endsWith("…") && normalized.startsWith(text.slice(0, -1))) ||
    (text.startsWith("…") && normalized.endsWith(text.slice(1)));
  if (text !== normalized && !isPart) return text;
  return href && WEB.test(expected) && href !== resolved(expected) ? href : undefined;
}

// Returns a URL in the form that browsers give links.
function resolved(address) {
  return URL.canParse?.(address) === false ? address : new URL(address).href;
}

// In other languages, the browser may write dates in another form than the page.
function isDay(text, written) {
  return document.documentElement.lang !== "en" || text.startsWith(day(Date.parse(written) / 1000));
}

// Returns the date of a moment in words, in the page's language.
export function day(seconds) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(+moment)) return String(seconds);
  const { lang } = document.documentElement;
  const language = lang === "en" ? "en-GB" : lang; // day, month, year, as everywhere on the page
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(moment);
}

function unescaped(part) {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function brief(text) {
  const whole = String(text);
  return whole.length <= 120 ? whole : `${whole.slice(0, 120)}…`;
}
