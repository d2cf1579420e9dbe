// Checks of single values while the reader types, by the rules of the API (coolid/http/api_documents.py and
// coolid/identifiers/target_policy.py). Each returns the reason as a message of the page, or an empty text. The API has
// the last word: it knows more rules.
import { say } from "./words.js";

const MOST_BYTES = 2048;
const UNSENDABLE = /[^\x21-\x7e]/;
const WEB = /^https?:\/\/([^/?#]*)/i;
const DEFAULT_PORTS = { "http:": ":80", "https:": ":443" };
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/;
const TOKEN = "[!#-.0-9A-Z^-z]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}( *;[ -~]*)?$`);
const LANGUAGE = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/;
const MOST_SECONDS = 31_536_000;

// Returns why a URL cannot be a target. `domains` are the hosts that the repository allows.
export function checkTarget(text, domains = []) {
  if (!text) return say("check-empty");
  if (text.length > MOST_BYTES) return say("check-long", { most: MOST_BYTES });
  const authority = WEB.exec(text)?.[1];
  if (authority === undefined) return say("check-scheme");
  const at = UNSENDABLE.exec(text)?.index;
  if (at !== undefined) return say("check-character", { number: at + 1 });
  if (text.includes("\\")) return say("check-backslash");
  if (authority.includes("@")) return say("check-credentials");
  if (!URL.canParse?.(text)) return URL.canParse ? say("check-url") : "";
  const { protocol, host, hostname } = new URL(text);
  const port = DEFAULT_PORTS[protocol];
  const written = authority.toLowerCase();
  if ((written.endsWith(port) ? written.slice(0, -port.length) : written) !== host) return say("check-host", { host });
  const isInside = domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  return domains.length && !isInside ? say("check-domains", { domains: domains.join(", ") }) : "";
}

export function checkMoment(text) {
  return !text || (MOMENT.test(text) && !Number.isNaN(Date.parse(text))) ? "" : say("check-moment");
}

export function checkMediaType(text) {
  return !text || (MEDIA_TYPE.test(text) && text.length <= 200) ? "" : say("check-media-type");
}

export function checkLanguage(text) {
  return !text || LANGUAGE.test(text) ? "" : say("check-language");
}

export function checkQuality(text) {
  const number = Number(text);
  return !text || (number >= 0 && number <= 1) ? "" : say("check-quality");
}

export function checkWhole(text) {
  return !text || (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) ? "" : say("check-whole");
}

export function checkSeconds(text) {
  return checkWhole(text) || (Number(text) <= MOST_SECONDS ? "" : say("check-seconds", { most: MOST_SECONDS }));
}

export function checkNeeded(text) {
  return text ? "" : say("check-empty");
}

// Returns why a text is not one JSON value.
export function checkJson(text) {
  try {
    JSON.parse(text);
    return "";
  } catch {
    return say("check-json");
  }
}
