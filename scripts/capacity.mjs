// npm run capacity -- --streams 10000 --tokens-per-second 40: what a load takes of each process. docs/capacity.md says how to read it.
import { parseArgs } from 'node:util';
import { FIGURES } from './lib/capacity-figures.mjs';
import { DEFAULTS, plan } from './lib/capacity.mjs';

const USAGE = `Usage: npm run capacity -- [options]

  --streams N             at once (${DEFAULTS.streams})
  --tokens-per-second N   of each stream (${DEFAULTS.tokensPerSecond})
  --tokens N              of an answer (${DEFAULTS.tokens})
  --slots N               streams of one runner (${DEFAULTS.slots})
  --runners N             instead of streams / slots
  --gateways N            instead of as many as it takes
  --keys N                of all accounts (${DEFAULTS.keys})
  --load N                share of a core that may be used (${DEFAULTS.load})
  --json                  the numbers alone`;

const NAMES = ['streams', 'tokens-per-second', 'tokens', 'slots', 'runners', 'gateways', 'keys', 'load'];
const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());

function read() {
  const options = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean' } } });
  const wanted = {};
  for (const name of NAMES.filter((one) => values[one] !== undefined)) {
    const number = Number(values[name]);
    if (!(number > 0)) throw new Error(`--${name} must be a number above 0`);
    wanted[camel(name)] = number;
  }
  if (wanted.load > 1) throw new Error('--load must be at most 1');
  return { wanted, isJson: values.json === true, isHelp: values.help === true };
}

const one = (number) => (number < 10 ? number.toFixed(1) : Math.ceil(number).toLocaleString('en'));

function page({ requests, tokens, runners, gateways, cores, deliveries, memory, warnings }) {
  const lines = [
    `${one(requests)} requests and ${one(tokens)} tokens a second, ${one(runners)} runners`,
    `gateways     ${one(gateways)} (one of them to spare), ${one(cores.gateway)} cores in all, ${one(memory.gateway)} MiB each`,
    `workers      ${one(cores.worker)} cores beside what engines take`,
    `nats-server  ${one(cores.nats)} cores in all; ${one(deliveries)} heartbeats a second are handed on`,
    `services     ${one(cores.services)} cores; PostgreSQL ${one(cores.postgres)}`,
    ...warnings.map((text) => `! ${text}`),
  ];
  return `${lines.join('\n')}\n\nFrom: ${[...new Set(Object.values(FIGURES).map(({ source }) => source))].join('; ')}`;
}

try {
  const { wanted, isJson, isHelp } = read();
  if (isHelp) console.log(USAGE);
  else console.log(isJson ? JSON.stringify(plan(wanted)) : page(plan(wanted)));
} catch (error) {
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
