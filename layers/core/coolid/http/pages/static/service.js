// Requests to the service's API, with an API key if needed. Refusals (RFC 9457) become plain sentences.
//
// A key is sent only in its request. Neither the key nor the response is stored.
import { base, say } from "./words.js";

const KEY = /^[\x21-\x7e]+$/;
const PATIENCE = 30_000; // milliseconds

// A refusal, or no response. `sentence` is for people; `status` is 0 without a response; `problem` is the problem
// document or null; `violations` are the invalid members of the body: [{pointer, detail}].
export class Failure extends Error {
  constructor(sentence, status = 0, problem = null) {
    super(sentence);
    this.sentence = sentence;
    this.status = status;
    this.problem = problem;
    this.violations = violationsOf(problem);
  }
}

// Returns the invalid members that a problem names: [{pointer, detail}], both texts.
export function violationsOf(problem) {
  const errors = Array.isArray(problem?.errors) ? problem.errors : [];
  const valid = errors.filter((each) => typeof each?.detail === "string");
  return valid.map(({ pointer, detail }) => ({ pointer: typeof pointer === "string" ? pointer : "", detail }));
}

// Returns whether a document has the members of a record that pages rely on, such as a PID that can be followed.
export function isRecord(document) {
  const { pid, status, version } = document ?? {};
  return isAddress(pid) && typeof status === "string" && Number.isSafeInteger(version);
}

function isAddress(text) {
  return typeof text === "string" && /^https?:\/\/[^\s\\]+$/i.test(text);
}

// Returns any error as a Failure, and logs unexpected ones to the console.
export function failureOf(wrong) {
  if (wrong instanceof Failure) return wrong;
  console.error(wrong);
  return new Failure(say("service-unexpected"));
}

// Sends a request to `path`, which begins with a slash, below the service's base URL. Returns
// {status, headers, document}; the document is parsed JSON, or null if there is none. Throws a Failure.
//
// A `body` that is not a string is sent as JSON; `headers` can contain another Content-Type. If `isFit` rejects the
// document, the Failure says that it is unknown whether a change was made.
export async function ask(method, path, { key, body, headers = {}, isFit = () => true } = {}) {
  const { answer, text } = await sent(path, {
    method,
    headers: { Accept: "application/json", ...typed(body), ...headers, ...authorized(key) },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    signal: AbortSignal.timeout?.(PATIENCE),
  });
  const document = read(answer, text);
  if (!answer.ok) throw new Failure(sentenceOf(answer, document), answer.status, document);
  if (!isFit(document)) throw new Failure(say("service-unexpected"), answer.status);
  return { status: answer.status, headers: answer.headers, document };
}

function typed(body) {
  return body === undefined ? {} : { "Content-Type": "application/json" };
}

function authorized(key) {
  if (key === undefined) return {};
  const value = key.trim();
  // Other characters are not possible in a header, and the browser's message would be less clear.
  if (!KEY.test(value)) throw new Failure(say("service-key"));
  return { Authorization: `Bearer ${value}` };
}

async function sent(path, request) {
  try {
    const answer = await fetch(base + path, request);
    return { answer, text: await answer.text() };
  } catch {
    throw new Failure(say("service-silent"));
  }
}

function read(answer, text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    // A proxy sent the response.
    throw new Failure(say("service-unreadable", { status: answer.status }), answer.status);
  }
}

// Returns the sentence of a refusal, {status, headers}: the instruction is a message of this page, the reason comes from
// the service.
export function sentenceOf(answer, problem) {
  const why = typeof problem?.detail === "string" ? problem.detail : "";
  const when = answer.headers.get("Retry-After");
  const what = say(meaning(answer.status, when), { status: answer.status, seconds: when });
  return why ? `${what} ${why}` : what;
}

function meaning(status, when) {
  const own = [401, 403, 404, 409, 412, 413, 422];
  if (own.includes(status) || (status === 429 && when)) return `service-${status}`;
  return status >= 500 || status === 429 ? "service-unavailable" : "service-refused";
}
