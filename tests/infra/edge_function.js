// Runs the function of infra/edge.yaml over many requests at once, in a world as bare as CloudFront's.
// Standard input: {"code": ..., "now": milliseconds, "stores": [{key: value, ...}, ...],
// "requests": [{"method", "path", "query" (null without one), "headers": [[name, value], ...], "store": index}, ...]}
// Standard output: what the handler gave back for each, and the most reads of the store and steps of one request.
const crypto = require('node:crypto');
const inspector = require('node:inspector');
const vm = require('node:vm');

const MEASURED = 200; // requests whose steps are counted

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
  const request = {method: asked.method, uri: asked.path, querystring: {}, headers: headers, cookies: {}};
  request.rawQueryString = () => (asked.query === null ? undefined : asked.query);
  return {version: '1.0', context: {eventType: 'viewer-request'}, viewer: {ip: '192.0.2.1'}, request: request};
}

// CloudFront's modules, with the methods and encodings that its documentation names, and no others.
const world = {store: {}, reads: 0};
const cloudfront = {
  kvs: () => ({
    get: async (key) => {
      world.reads += 1;
      if (!Object.hasOwn(world.store, key)) {
        throw new Error('KeyNotFound');
      }
      return world.store[key];
    },
  }),
};
const hashes = {
  createHash: (algorithm) => {
    const hash = crypto.createHash(['md5', 'sha1', 'sha256'].find((each) => each === algorithm));
    return {
      update(data) {
        hash.update(data);
        return this;
      },
      digest: (encoding) => hash.digest(['hex', 'base64', 'base64url'].find((each) => each === encoding)),
    };
  },
};
const modules = {cloudfront: cloudfront, crypto: hashes};

async function handlerOf(code, now) {
  const context = vm.createContext(Object.create(null), {codeGeneration: {strings: false, wasm: false}});
  vm.runInContext(`Date.now = () => ${now}; delete globalThis.WebAssembly; delete globalThis.console;`, context);
  const module = new vm.SourceTextModule(`${code}\nexport default handler;`, {context: context, identifier: 'edge'});
  await module.link((name) => new vm.SyntheticModule(['default'], function () {
    this.setExport('default', modules[name]);
  }, {context: context}));
  await module.evaluate();
  return module.namespace.default;
}

// How many blocks of the code a call runs, counted by V8. The inspector's methods return at once within the process.
async function steps(session, call) {
  const options = {callCount: true, detailed: true};
  session.post('Profiler.startPreciseCoverage', options);
  await call();
  let count = 0;
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    const scripts = coverage.result.filter((each) => each.url === 'edge');
    scripts.forEach((each) => each.functions.forEach((one) => one.ranges.forEach((range) => {
      count += range.count;
    })));
  });
  session.post('Profiler.stopPreciseCoverage');
  return count;
}

async function main() {
  const asked = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  const handler = await handlerOf(asked.code, asked.now);
  const session = new inspector.Session();
  session.connect();
  session.post('Profiler.enable');
  const answers = [];
  const most = {reads: 0, steps: 0};
  for (const each of asked.requests) {
    world.store = asked.stores[each.store];
    world.reads = 0;
    answers.push(await handler(eventOf(each)));
    most.reads = Math.max(most.reads, world.reads);
  }
  for (const each of asked.requests.slice(0, asked.measures ? MEASURED : 0)) {
    world.store = asked.stores[each.store];
    most.steps = Math.max(most.steps, await steps(session, () => handler(eventOf(each))));
  }
  process.stdout.write(JSON.stringify({answers: answers, most: most}));
}

module.exports = {eventOf, handlerOf, world};
if (require.main === module) {
  main();
}
