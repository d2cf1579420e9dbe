// The overview: what the key of the session may do, and where.
import { say } from "../words.js";
import { refresh } from "./api.js";
import { definitions, element, notifyFailure, time } from "./dom.js";
import { start } from "./gate.js";
import { scopeText } from "./scope-text.js";

start(async (client) => {
  show(client);
  try {
    show(await refresh());
  } catch (wrong) {
    notifyFailure(document.getElementById("overview-message"), wrong);
  }
});

function show(client) {
  document.getElementById("own-id").textContent = client.id;
  const scopes = client.scopes.map((scope) => element("li", {}, scopeText(scope)));
  document.getElementById("own-scopes").replaceChildren(...scopes);
  const { minute, day } = client.quota ?? {};
  const facts = [
    [say("overview-created"), time(client.created)],
    [say("overview-minute"), minute],
    [say("overview-day"), day],
  ];
  document.getElementById("own-facts").replaceChildren(...definitions(facts));
}
