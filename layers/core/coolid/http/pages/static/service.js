// Asks the service's API, with an API key where one is needed, and puts refusals (RFC 9457) into plain sentences.
//
// A key goes into the one request that it is for. It is kept nowhere, nor is anything that was answered to it.
import { base, say } from "./words.js";

const KEY = /^[\x21-\x7e]+$/;
const PATIENCE = 30_000; // milliseconds

// A refusal, or no answer at all. `sentence` is for people; `status` is 0 where nobody answered; `problem` is what the
// service said, or null; `violations` are the places of the body that break rules: [{pointer, detail}].
export class Failure extends Error {
  constructor(sentence, status = 0, problem = null) {
    super(sentence);
    this.sentence = sentence;
    this.status = status;
    this.problem = problem;
    this.violations = violationsOf(problem);
  }
}

// The places of a request that a problem names, whatever it is: [{pointer, detail}], both texts.
export function violationsOf(problem) {
  const errors = Array.isArray(problem?.errors) ? problem.errors : [];
  const told = errors.filter((each) => typeof each?.detail === "string");
  return told.map(({ pointer, detail }) => ({ pointer: typeof pointer === "string" ? pointer : "", detail }));
}

// Whether it is a record as far as pages rely on it: with an identifier that can be followed.
export function isRecord(document) {
  const { pid, status, version } = document ?? {};
  return isAddress(pid) && typeof status === "string" && Number.isSafeInteger(version);
}

function isAddress(text) {
  return typeof text === "string" && /^https?:\/\/[^\s\\]+$/i.test(text);
}

// What went wrong, as a Failure; of what nobody foresaw the console has more.
export function failureOf(wrong) {
  if (wrong instanceof Failure) return wrong;
  console.error(wrong);
  return new Failure(say("service-unexpected"));
}

// The answer to a request at `path`, which begins with a slash and stands below the service's base URL:
// {status, headers, document}, the document read from JSON, or null where there is none. Throws a Failure.
//
// A `body` that is not a string is sent as JSON; say a Content-Type among `headers` if it is another kind. What `isFit`
// finds unfit is told as it is: whoever asked for a change does not know then whether it was made.
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
  if (!answer.ok) throw new Failure(told(answer, document), answer.status, document);
  if (!isFit(document)) throw new Failure(say("service-unexpected"), answer.status);
  return { status: answer.status, headers: answer.headers, document };
}

function typed(body) {
  return body === undefined ? {} : { "Content-Type": "application/json" };
}

function authorized(key) {
  if (key === undefined) return {};
  const given = key.trim();
  // Anything else could not stand in a header, and the browser would say so less plainly.
  if (!KEY.test(given)) throw new Failure(say("service-key"));
  return { Authorization: `Bearer ${given}` };
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
    // What a proxy on the way says is no answer of the service's.
    throw new Failure(say("service-unreadable", { status: answer.status }), answer.status);
  }
}

// What to do is said in words of ours, why by the service's own.
function told(answer, problem) {
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
