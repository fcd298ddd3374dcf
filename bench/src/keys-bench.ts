import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { formatKey, isServiceError } from '@slipway/contracts';
import { macOf, parsePeppers } from '@slipway/platform';
import { startTestPostgres, TestNatsServer } from '@slipway/testing';
import { AppProcess } from './processes/app-process.js';
import { CleanUp } from './processes/clean-up.js';
import { insertKeys } from './many-keys.repository.js';
import { cpuSeconds, residentBytes } from './processes/process-figures.js';

const KEYS = 100_000;
const CHECKS = 100_000;
const WARM_UP = 20_000;
const PEPPERS = `p1:${'ab'.repeat(32)}`;
const MIB = 1_048_576;
/** Starts of each kind whose median counts: one is moved by whatever else the machine does. */
const STARTS = 5;
/** For what a start leaves to the garbage collector. */
const SETTLE_MS = 5_000;

/** Of the gateway, taken from its build: apps export nothing. */
interface Verifier {
  verify(key: string): unknown;
}
interface Index {
  put(id: string, rec: object): void;
}
interface GatewayParts {
  readonly KeyIndex: new () => Index;
  readonly KeyVerifier: new (index: Index, peppers: unknown, trust: () => string) => Verifier;
}

/** What the first stage, scripts/bench.mjs, prepared. */
export interface KeysStage {
  /** The repository. */
  readonly root: string;
  /** Where programs are looked for. */
  readonly path: string | undefined;
}

const keyOf = (seed: string): string => formatKey('dep', createHash('sha256').update(seed).digest());
const row = (what: string, figure: string, target = ''): string => `${what.padEnd(62)}${figure.padStart(16)}${target.padStart(12)}`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Microseconds that a call takes, one after the other: median and p99 of batches of ten. */
function timeOf(call: (i: number) => void): { p50: number; p99: number } {
  for (let i = 0; i < WARM_UP; i += 1) call(i);
  const batches: number[] = [];
  for (let i = 0; i < CHECKS; i += 10) {
    const begun = process.hrtime.bigint();
    for (let j = 0; j < 10; j += 1) call(i + j);
    batches.push(Number(process.hrtime.bigint() - begun) / 10_000);
  }
  const sorted = batches.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const refused = (verifier: Verifier, key: string): void => {
  if (!isServiceError(verifier.verify(key))) throw new Error('A key was accepted that is not valid.');
};

/** The check by itself, with all keys in memory. */
async function timeChecks(root: string): Promise<void> {
  const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(root, 'apps/gateway/dist/auth', file)).href)) as T;
  const { KeyIndex } = await load<Pick<GatewayParts, 'KeyIndex'>>('key-index.js');
  const { KeyVerifier } = await load<Pick<GatewayParts, 'KeyVerifier'>>('key-verifier.service.js');
  const peppers = parsePeppers(PEPPERS);
  const [pepper] = peppers;
  if (!pepper) throw new Error('There is no pepper.');
  const keys = Array.from({ length: KEYS }, (_, i) => keyOf(`key ${i}`));
  const index = new KeyIndex();
  index.put('account:1', { type: 'account', id: 1, slug: 'bench', state: 'active' });
  for (const [i, key] of keys.entries()) {
    const mac = macOf(key, pepper).toString('base64url');
    const about = { kind: 'dep', pepper: 'p1', state: 'active', expires: null, deployments: null };
    index.put(`key:${i + 1}`, { type: 'key', id: i + 1, account: 1, mac, ...about });
  }
  const verifier = new KeyVerifier(index, peppers, () => 'fresh');
  const unknown = Array.from({ length: 1_000 }, () => formatKey('dep', randomBytes(32)));
  const malformed = ['', 'sk-something', 'svc_dep_short', `${keys[0]}x`, 'x'.repeat(8_000), `${keys[0]?.slice(0, -1)}!`];
  const trials = {
    'a good key is found among all of them': timeOf((i) => void verifier.verify(keys[(i * 7_919) % KEYS] ?? '')),
    'an unknown key is refused': timeOf((i) => refused(verifier, unknown[i % unknown.length] ?? '')),
    'a malformed key is refused': timeOf((i) => refused(verifier, malformed[i % malformed.length] ?? '')),
  };
  for (const [what, { p50, p99 }] of Object.entries(trials)) {
    print(row(`${what}, p50; p99`, `${p50.toFixed(1)} µs; ${p99.toFixed(1)} µs`, what.startsWith('a good') ? '15 µs' : '100 µs'));
  }
}

interface Start {
  readonly readyMs: number;
  /** Processor time until then. */
  readonly cpuS: number;
  readonly mib: number;
}

const medianOf = (starts: readonly Start[], figure: keyof Start): number =>
  starts.map((start) => start[figure]).toSorted((a, b) => a - b)[Math.floor(starts.length / 2)] ?? 0;

/**
 * A gateway's start without keys and with all of them, fed by a keys-service that is up already. A gateway is ready when all
 * its keys are loaded, and asks for the first of them shortly before its door opens: what keys add is the difference.
 */
async function timeLoading({ root, path }: KeysStage, cleanUp: CleanUp): Promise<void> {
  const [nats, postgres] = await Promise.all([TestNatsServer.start(), startTestPostgres()]);
  cleanUp.add(() => postgres.stop());
  cleanUp.add(() => nats.end());
  const database = await postgres.createDatabase();
  const settings = {
    PATH: path,
    SLIPWAY_ENV: 'bench',
    NATS_URL: nats.url,
    KEY_PEPPERS: PEPPERS,
    PORT: '0',
    KEYS_DATABASE_URL: database,
    DEPLOYMENTS_DATABASE_URL: await postgres.createDatabase(),
    SLIPWAY_SECRET_KEY: 'cd'.repeat(32),
  };
  const start = async (app: string): ReturnType<typeof AppProcess.start> => {
    const started = await AppProcess.start(root, app, settings);
    cleanUp.add(() => started.running.stop());
    return started;
  };
  for (const service of ['keys-service', 'deployments-service']) await start(service);
  const measure = async (): Promise<Start> => {
    const { running, readyMs } = await start('gateway');
    const cpuS = cpuSeconds(running.pid);
    await delay(SETTLE_MS);
    const mib = residentBytes(running.pid) / MIB;
    await running.stop();
    return { readyMs, cpuS, mib };
  };
  /** The first one fills the caches of the machine and of the service, and is not counted. */
  const measureSome = async (): Promise<Start[]> => {
    const starts: Start[] = [];
    for (let i = 0; i <= STARTS; i += 1) starts.push(await measure());
    return starts.slice(1);
  };
  const empty = await measureSome();
  await insertKeys(database, KEYS);
  printLoading(empty, await measureSome());
}

function printLoading(empty: readonly Start[], full: readonly Start[]): void {
  const added = (figure: keyof Start): number => medianOf(full, figure) - medianOf(empty, figure);
  const longest = Math.max(...full.map(({ readyMs }) => readyMs)) - medianOf(empty, 'readyMs');
  print(row('start of a gateway until it is ready, without keys', `${(medianOf(empty, 'readyMs') / 1_000).toFixed(2)} s`));
  print(row(`what ${KEYS} keys add to it`, `${(added('readyMs') / 1_000).toFixed(2)} s`, '2 s'));
  print(row(`the most of ${STARTS} starts`, `${(longest / 1_000).toFixed(2)} s`));
  print(row('what they add to its processor time', `${added('cpuS').toFixed(2)} s`));
  print(row('memory of a gateway without keys', `${medianOf(empty, 'mib').toFixed(0)} MiB`));
  print(row(`what ${KEYS} keys add to it`, `${added('mib').toFixed(0)} MiB`, '150 MB'));
}

/** Measures what keys cost a gateway: loading and holding many, and checking one. */
export async function runKeysBench(stage: KeysStage): Promise<number> {
  const cleanUp = new CleanUp();
  try {
    print(row('', 'measured', 'target'));
    await timeChecks(stage.root);
    await timeLoading(stage, cleanUp);
    return 0;
  } finally {
    await cleanUp.run();
  }
}
