// Shows whether the transparency log of this service contains a version, and what that means. The texts are here, because few
// readers need them.
import { Unproven, verifyInclusion } from "./inclusion-proof.js";
import { documentAt, Hindrance, octetsAt } from "./verify.js";
import { base, fill } from "./words.js";

const MOST_ATTEMPTS = 10; // to find a version that waits
const DELAY = 15_000; // milliseconds
const MEANS =
  "it is at index {index} of the {size} entries of {origin}, so that showing others a different version would leave evidence; " +
  "the log does not say that the content is true.";
const NOT_SIGNED =
  "it is at index {index} of the {size} entries of {origin}, but this browser cannot check the signature of the log (Ed25519). " +
  "The coolid command can.";
const WAITS = "new versions are added within two minutes. This page shows it then.";
const REASONS = {
  form: "The proof of inclusion is malformed.",
  key: "The published key of the log is malformed.",
  origin: "The proof is that of another log, {origin}.",
  inclusion: "The proof leads to another entry or another state of the log.",
  signature: "The state of the log is not signed with the published key of the log.",
};

// Shows the result in an element, if the service has a log. `entry` is the compact JWS of the version, and `path` that of its
// proof of inclusion. A version that waits for its place is checked again.
export async function showInclusion(element, marked, entry, path, attempts = MOST_ATTEMPTS) {
  const found = await inclusionOf(entry, path);
  if (found === null) return;
  const [colour, word, why, waits] = found;
  const link = document.createElement("a");
  link.href = base + path;
  link.textContent = "Proof of inclusion";
  element.replaceChildren(marked(colour, word), ` ${why} `, link);
  element.hidden = false;
  if (waits && attempts > 1) setTimeout(showInclusion, DELAY, element, marked, entry, path, attempts - 1);
}

// Returns a CSS class, a word, a sentence, and whether the version waits; or null if the service has no log.
async function inclusionOf(entry, path) {
  try {
    const { log } = (await documentAt("/.well-known/linkid-resolver", [200])).value;
    if (!log) return null;
    const { status, octets } = await octetsAt(path, [200, 410, 503]);
    if (status === 503) return ["soft", "Not in the public log yet:", WAITS, true];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(octets);
    return summed(await verifyInclusion(text, entry, log.verifier_key, log.policy));
  } catch (error) {
    if (error instanceof Hindrance) return ["soft", "Log not checked:", error.message];
    if (!(error instanceof Unproven)) throw error;
    const why = fill(REASONS[error.key], error.values);
    return ["bad", "Not proven to be in the public log:", `${why} Do not rely on this version.`];
  }
}

function summed({ witnesses, ...values }) {
  if (values.isSigned === null) return ["soft", "Log not checked completely:", fill(NOT_SIGNED, values)];
  const others = witnesses === 0 ? "No witness" : witnesses === 1 ? "One witness" : `${witnesses} witnesses`;
  const also = witnesses === 0 ? "" : ", too";
  return ["good", "In the public log:", `${fill(MEANS, values)} ${others} signed this state of the log${also}.`];
}
