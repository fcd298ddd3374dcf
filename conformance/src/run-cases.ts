import { once, setMaxListeners } from 'node:events';
import { type ContractName, type Need, type OtherName, type Part, type SpareKey, type Stage } from './case.js';
import { Mismatch } from './check.js';
import type { Engine } from './engine.js';
import { Target, type TargetAddress } from './target.js';

const PART_MS = 30_000;

/** What the cases run against. */
export interface Ground {
  readonly target: TargetAddress;
  readonly engine?: Engine;
  /** The target itself keeps answers of the responses contract. */
  readonly store?: boolean;
  readonly others?: Readonly<Partial<Record<OtherName, TargetAddress>>>;
  /** Each is used once, by the run that comes first. */
  readonly spareKeys?: SpareKey[];
}

/** A case that failed. */
export interface Failure {
  readonly promise: string;
  readonly expected: string;
  readonly came: string;
  readonly breaks: string;
}

/** The outcome of one numbered case. */
export interface Verdict {
  readonly contract: ContractName;
  readonly number: number;
  readonly outcome: 'passed' | 'failed' | 'not run';
  readonly failures: readonly Failure[];
  /** What was missing for the parts that were not run. */
  readonly missing: readonly Need[];
}

export interface Chosen {
  readonly contract: ContractName;
  readonly part: Part;
}

interface Tried extends Chosen {
  readonly failure: Failure | null;
  readonly missing: readonly Need[];
}

/**
 * Runs parts of cases, those that need a long time beside the others, and gives one verdict for each number.
 */
export async function runCases(ground: Ground, chosen: readonly Chosen[]): Promise<Verdict[]> {
  const trial = async (one: Chosen): Promise<Tried> => {
    const missing = missingFor(ground, one.part);
    const failure = missing.length > 0 ? null : await tryPart(ground, one.part);
    return { ...one, failure, missing };
  };
  const fitting = chosen.filter(({ part }) => part.stateless !== true || ground.store !== true);
  const slow = fitting.filter(({ part }) => part.limitMs !== undefined).map(trial);
  const tried: Tried[] = [];
  for (const one of fitting.filter(({ part }) => part.limitMs === undefined)) {
    ground.engine?.reset();
    tried.push(await trial(one));
  }
  return verdictsOf([...tried, ...(await Promise.all(slow))]);
}

function missingFor(ground: Ground, { needs = [] }: Part): Need[] {
  const has = (need: Need): boolean => {
    if (need === 'engine') return ground.engine !== undefined;
    return need === 'revoke' ? (ground.spareKeys ?? []).length > 0 : ground.others?.[need] !== undefined;
  };
  return needs.filter((need) => !has(need));
}

async function tryPart(ground: Ground, part: Part): Promise<Failure | null> {
  const limit = part.limitMs ?? PART_MS;
  const over = new AbortController();
  // Every request of the part listens to it.
  setMaxListeners(0, over.signal);
  const timer = setTimeout(() => over.abort(), limit);
  try {
    await Promise.race([part.run(stageOf(ground, over.signal)), endOf(over.signal)]);
    return null;
  } catch (error) {
    const { promise, breaks } = part;
    if (over.signal.aborted) return { promise, breaks, expected: `an end within ${limit / 1_000} s`, came: 'none' };
    if (error instanceof Mismatch) return { promise, breaks, expected: error.expected, came: error.came };
    return { promise, breaks, expected: 'no error', came: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function endOf(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw new Error('over');
}

function stageOf(ground: Ground, signal: AbortSignal): Stage {
  const { engine, others = {} } = ground;
  return {
    target: new Target(ground.target, signal),
    get engine() {
      if (!engine) throw new Error('This case does not say that it needs the engine.');
      return engine;
    },
    get engineCalls() {
      return engine?.requests.length ?? null;
    },
    other: (name) => {
      const address = others[name];
      if (!address) throw new Error(`This case does not say that it needs "${name}".`);
      return new Target(address, signal);
    },
    spareKey: () => {
      const key = ground.spareKeys?.shift();
      if (!key) throw new Error('There are fewer spare keys than cases that revoke one.');
      return key;
    },
  };
}

function verdictsOf(tried: readonly Tried[]): Verdict[] {
  const verdicts = new Map<string, Verdict>();
  for (const { contract, part, failure, missing } of tried) {
    const { number } = part;
    const before = verdicts.get(`${contract} ${number}`);
    const failures = [...(before?.failures ?? []), ...(failure ? [failure] : [])];
    const lacks = [...new Set([...(before?.missing ?? []), ...missing])];
    const rest = lacks.length > 0 ? 'not run' : 'passed';
    const outcome = failures.length > 0 ? 'failed' : rest;
    verdicts.set(`${contract} ${number}`, { contract, number, outcome, failures, missing: lacks });
  }
  return [...verdicts.values()];
}
