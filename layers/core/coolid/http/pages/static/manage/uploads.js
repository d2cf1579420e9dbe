// Sends files to the service, with progress, and starts jobs with them. Larger files go to an address of their own,
// which can be at another host: the key is sent only to the service.
import { sentenceOf } from "../service.js";
import { base, say } from "../words.js";
import { call, Failure, withKey } from "./api.js";

export const MAX_BYTES = 100_000_000;
const MAX_WHOLE_BYTES = 4_000_000; // what one request to the API holds, with a margin for its encoding
const JOBS = "/api/v1/jobs";

// Starts a job and returns its document. `file` is a Blob, or null for a job without rows. `onProgress` receives the part
// that was sent, from 0 to 1. Throws a Failure, or an AbortError after `signal`.
export async function startJob(job, file, { onProgress, signal }) {
  const isFit = (made) => typeof made?.id === "string";
  if (!file) return (await call("POST", JOBS, { body: job, isFit })).document;
  if (file.size <= MAX_WHOLE_BYTES) {
    const body = new FormData();
    body.append("job", new Blob([JSON.stringify(job)], { type: "application/json" }));
    body.append("rows", file, file.type === "text/csv" ? "rows.csv" : "rows.jsonl");
    return await sentWithKey("POST", base + JOBS, { body, onProgress, signal });
  }
  const upload = (await call("POST", "/api/v1/uploads", { body: { size: file.size }, isFit: isUpload })).document;
  const request = { body: file, headers: upload.headers ?? {}, onProgress, signal };
  if (upload.url.startsWith(`${base}/`)) await sentWithKey(upload.method, upload.url, request);
  else await sent(upload.method, upload.url, request);
  return (await call("POST", JOBS, { body: { ...job, upload: upload.upload }, isFit })).document;
}

function isUpload(document) {
  return [document?.upload, document?.url, document?.method].every((each) => typeof each === "string");
}

function sentWithKey(method, url, request) {
  const headersWith = (key) => ({ ...request.headers, Authorization: `Bearer ${key}` });
  return withKey((key) => sent(method, url, { ...request, headers: headersWith(key) }));
}

// Only XMLHttpRequest reports the progress of what it sends.
function sent(method, url, { body, headers = {}, onProgress, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader("Accept", "application/json");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / (event.total || body.size)));
    request.addEventListener("load", () => finish(request, resolve, reject));
    request.addEventListener("error", () => reject(new Failure(say("service-silent"))));
    request.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

function finish(request, resolve, reject) {
  const { status } = request;
  const document = parsed(request.responseText);
  if (status >= 200 && status < 300) return resolve(document);
  const answer = { status, headers: { get: (name) => request.getResponseHeader(name) } };
  // Another host refuses files with other documents.
  const sentence = document ? sentenceOf(answer, document) : say("upload-refused", { status });
  return reject(new Failure(sentence, status, document));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
