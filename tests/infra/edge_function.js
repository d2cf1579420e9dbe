// Runs the function of infra/edge.yaml over many requests at once, in a world as bare as CloudFront's.
// Standard input: {"code": ..., "requests": [{"method", "query" (null without one), "headers": [[name, value], ...]}, ...]}
// Standard output: what the handler gave back for each.
const vm = require('node:vm');

function eventOf(asked) {
  const headers = {};
  for (const [name, value] of asked.headers) {
    const known = headers[name.toLowerCase()];
    if (known) {
      known.multiValue = (known.multiValue || [{value: known.value}]).concat({value: value});
    } else {
      headers[name.toLowerCase()] = {value: value};
    }
  }
  const request = {method: asked.method, uri: '/', querystring: {}, headers: headers, cookies: {}};
  request.rawQueryString = () => (asked.query === null ? undefined : asked.query);
  return {version: '1.0', context: {eventType: 'viewer-request'}, viewer: {ip: '192.0.2.1'}, request: request};
}

const asked = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const handler = vm.runInNewContext('"use strict";' + asked.code + '\nhandler', Object.create(null));
process.stdout.write(JSON.stringify(asked.requests.map((each) => handler(eventOf(each)))));
