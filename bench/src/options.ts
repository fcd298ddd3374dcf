import { BenchError } from './bench-error.js';
import { parseArgs } from 'node:util';
import { LOADS } from './loads/loads.js';
import { PEERS } from './peers/peers.js';

/** Measurements beside the loads, in the order in which they are run: memory first, while nothing has made heaps grow. */
const STILL = ['rest', 'idle'] as const;
const FAMILIES = [...STILL, ...new Set(LOADS.map(({ family }) => family))];
const DEFAULT_ROUNDS = 3;
const QUICK_SHARE = 0.25;

export const USAGE = `Usage: npm run bench -- [LOAD[,LOAD…]] [options]
       npm run bench -- report FILE.json   the page of a run, as Markdown
       npm run bench -- rest-bundled       what the bundled model costs without requests
       npm run bench -- keys               what 100,000 keys cost a gateway
       npm run bench -- bodies-check [FOLDER]   what checking a body costs, beside that of another built checkout
       npm run bench -- tuning             what uploads and trainings cost, and how soon they do what they are told

Measures what Slipway adds to an inference server, beside nginx in front of the same server: the processor time and memory
of every process that \`npm start\` brings up, with its own settings, and what becomes of every token.
Starts everything that it needs, and ends it. Results are written to bench/results.

  LOAD           ${FAMILIES.join(', ')}, or one of a family, such as ladder-8; all without any
  --rounds N     rounds in which all ways take turns; ${DEFAULT_ROUNDS} by itself
  --against REF  another state of Slipway, by its git name, takes turns with this one: the run fails when a load became more
                 than 3 % dearer, and by more than the spread of the rounds allows
  --peer NAME[,NAME…]   other gateways take turns too: ${PEERS.map(({ name }) => name).join(', ')}
  --spans        a second Slipway takes turns too, which exports the spans of 5 % of its requests
  --doubled      a second Slipway takes turns too, with two gateways, two workers and twice the load
  --quick        one round of a quarter of the time: shows that it runs, and measures little
  --help         this text
`;

export interface BenchOptions {
  /** Names of loads. */
  readonly loads: readonly string[];
  readonly rest: boolean;
  readonly idle: boolean;
  readonly rounds: number;
  /** Part of their time that loads have. */
  readonly share: number;
  /** Git's name of another state; null without one. */
  readonly against: string | null;
  /** Names. */
  readonly peers: readonly string[];
  /** A way that exports spans takes part. */
  readonly spans: boolean;
  /** A way with two gateways and two workers takes part. */
  readonly doubled: boolean;
  readonly help: boolean;
}

/** @throws BenchError in one line */
function namesOf(words: readonly string[]): string[] {
  const wanted = words.flatMap((word) => word.split(',')).filter((word) => word !== '');
  for (const word of wanted) {
    if (!FAMILIES.includes(word) && !LOADS.some(({ name }) => name === word))
      throw new BenchError(`There is no load ${word}; there are ${FAMILIES.join(', ')}.`);
  }
  return wanted.length === 0 ? [...FAMILIES] : wanted;
}

function roundsOf(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new BenchError('--rounds takes a whole number from 1 to 100.');
  return rounds;
}

/** Gateways that no registry holds as a program. */
const BUILT: Readonly<Record<string, string>> = {
  bifrost: 'Bifrost is a Go program that no registry of packages holds; its own start downloads one.',
  gomodel: 'GoModel is a Go program that no registry of packages holds.',
};

/** @throws BenchError in one line */
function peersOf(words: readonly string[]): string[] {
  const wanted = words.flatMap((word) => word.split(',')).filter((word) => word !== '');
  for (const word of wanted) {
    const known = PEERS.map(({ name }) => name);
    if (!known.includes(word)) throw new BenchError(`${BUILT[word] ?? `There is no peer ${word}.`} There are ${known.join(', ')}.`);
  }
  return wanted;
}

const OPTIONS = {
  rounds: { type: 'string' },
  against: { type: 'string' },
  peer: { type: 'string', multiple: true },
  spans: { type: 'boolean', default: false },
  doubled: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new BenchError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** @throws BenchError in one line */
export function readOptions(argv: readonly string[]): BenchOptions {
  const { values, positionals } = parsed(argv);
  const { quick, help, spans, doubled } = values;
  const against = values.against ?? null;
  const names = namesOf(positionals);
  const rounds = roundsOf(values.rounds ?? String(quick && against === null ? 1 : DEFAULT_ROUNDS));
  if (against !== null && rounds < DEFAULT_ROUNDS)
    throw new BenchError(`--against takes at least ${DEFAULT_ROUNDS} rounds: fewer have no spread.`);
  return {
    loads: LOADS.filter(({ name, family }) => names.includes(name) || names.includes(family)).map(({ name }) => name),
    rest: names.includes('rest'),
    idle: names.includes('idle'),
    rounds,
    against,
    peers: peersOf(values.peer ?? []),
    spans,
    doubled,
    share: quick ? QUICK_SHARE : 1,
    help,
  };
}
