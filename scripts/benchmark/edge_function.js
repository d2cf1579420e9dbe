// Measures the function of infra/edge.yaml with only the globals that CloudFront has (tests/infra/edge_function.js).
// The first line of standard input is {"code", "now", "store", "requests"}; the first line of output has the handler's results.
// Each further line is a number of requests that it redirects; the output is the processor time of one, in microseconds.
const readline = require('node:readline');
const {eventOf, handlerOf, world} = require('../../tests/infra/edge_function.js');

async function main() {
  const lines = readline.createInterface({input: process.stdin})[Symbol.asyncIterator]();
  const input = JSON.parse((await lines.next()).value);
  const handler = await handlerOf(input.code, input.now);
  const answers = [];
  world.store = input.store;
  for (const each of input.requests) {
    answers.push(await handler(eventOf(each)));
  }
  console.log(JSON.stringify(answers));
  const redirected = input.requests.filter((_, at) => answers[at].statusCode === 302);
  for await (const line of lines) {
    const number = Number(line);
    const events = Array.from({length: number}, (_, at) => eventOf(redirected[at % redirected.length]));
    const start = process.cpuUsage();
    for (const event of events) {
      await handler(event);
    }
    const used = process.cpuUsage(start);
    console.log((used.user + used.system) / number);
  }
}

main();
