// Checks whether the transparency log of this service contains a version, and says what that means.
import { documentAt, Hindrance, octetsAt } from "./loading.js";
import { Unproven, verifyInclusion } from "./inclusion-proof.js";
import { say } from "./words.js";

// Returns a CSS class, the key of a word and a sentence, or null if the service has no log. `entry` is the compact JWS of the
// version, and `path` that of its proof of inclusion.
export async function inclusionOf(entry, path) {
  try {
    const { log } = (await documentAt("/.well-known/linkid-resolver", [200])).value;
    if (!log) return null;
    const { status, octets } = await octetsAt(path, [200, 410, 503]);
    if (status === 503) return ["soft", "log-waits", say("log-waits-why")];
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(octets);
    return summed(await verifyInclusion(text, entry, log.verifier_key, log.policy));
  } catch (error) {
    if (error instanceof Hindrance) return ["soft", "log-unchecked", error.message];
    if (!(error instanceof Unproven)) throw error;
    return ["bad", "log-missing", say("log-missing-why", { why: say(error.key, error.values) })];
  }
}

function summed({ index, size, origin, isSigned, witnesses }) {
  const values = { index, size, origin, witnesses };
  if (isSigned === null) return ["soft", "log-unsigned", say("log-unsigned-why", values)];
  const key = witnesses === 0 ? "log-unwitnessed" : witnesses === 1 ? "log-witnessed-once" : "log-witnessed";
  return ["good", "log-held", `${say("log-held-why", values)} ${say(key, values)}`];
}
