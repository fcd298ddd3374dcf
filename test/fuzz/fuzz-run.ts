import { fuzzCase, type FuzzCase } from './fuzz-case.js';
import type { FuzzTarget } from './fuzz-target.js';
import { shown, shrink } from './shrink.js';
import { type FuzzAnswer, verdict } from './verdict.js';

const AT_ONCE = 24;
/** A machine that is busy elsewhere lets heartbeats come late. */
const SETTLES_WITHIN_MS = 30_000;
const RETRY_MS = 250;
/** Kinds of faults after which a run ends. */
const MAX_FAULTS = 8;

/** What a run found. */
export interface FuzzReport {
  readonly requests: number;
  /** Answers by endpoint and status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** One of each kind, each with its seed and the smallest body found. */
  readonly faults: readonly string[];
  /** Memory of the gateway in MiB: halfway, when it has loaded, compiled and cached what it needs, and at the end. */
  readonly memoryMib: readonly [halfway: number, end: number];
  /** The longest that an answer took, and the seed that asked. */
  readonly slowest: { readonly seed: number; readonly ms: number };
}

/** Kinds of faults: figures and quotes in them do not tell them apart. */
const kindOf = (asked: FuzzCase, why: string): string => `${asked.endpoint} ${why.replace(/:.*$/s, '').replaceAll(/\d{4,}/g, 'N')}`;

/** The answer to a request, asked again as long as it says that it could not be answered yet: that is no verdict on its body. */
async function settled(target: FuzzTarget, asked: FuzzCase): Promise<FuzzAnswer> {
  const deadline = performance.now() + SETTLES_WITHIN_MS;
  for (;;) {
    const answer = await target.send(asked);
    const isTemporary = (answer.status === 503 || answer.status === 529) && answer.headers['retry-after'] !== undefined;
    if (!isTemporary || performance.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function tried(target: FuzzTarget, asked: FuzzCase): Promise<{ readonly status: number; readonly why: string | null }> {
  try {
    const answer = await settled(target, asked);
    return { status: answer.status, why: verdict(asked, answer) };
  } catch (error) {
    return { status: 0, why: `no answer: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function described(target: FuzzTarget, asked: FuzzCase, why: string): Promise<string> {
  const kind = kindOf(asked, why);
  const small = await shrink(asked, async (each) => {
    const again = await tried(target, each);
    return again.why !== null && kindOf(each, again.why) === kind;
  });
  return `seed ${asked.seed}: POST /${asked.name} (${asked.endpoint}) ${why}\n  ${shown(small)}`;
}

/** Sends the requests of `count` seeds from `first` on, and judges every answer. */
export async function fuzz(target: FuzzTarget, first: number, count: number): Promise<FuzzReport> {
  const statuses: Record<string, number> = {};
  const found = new Map<string, { readonly asked: FuzzCase; readonly why: string }>();
  let next = 0;
  let halfway = 0;
  let slowest = { seed: first, ms: 0 };
  const lane = async (): Promise<void> => {
    while (next < count && found.size < MAX_FAULTS) {
      const asked = fuzzCase(first + next, target.names);
      next += 1;
      if (next === Math.ceil(count / 2)) halfway = await target.memoryMib();
      const startedAt = performance.now();
      const { status, why } = await tried(target, asked);
      const ms = performance.now() - startedAt;
      if (ms > slowest.ms) slowest = { seed: asked.seed, ms };
      statuses[`${asked.endpoint} ${status}`] = (statuses[`${asked.endpoint} ${status}`] ?? 0) + 1;
      if (why !== null && !found.has(kindOf(asked, why))) found.set(kindOf(asked, why), { asked, why });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  for (const { asked, why } of found.values()) process.stderr.write(`seed ${asked.seed} (${asked.endpoint}): ${why}\n`);
  const faults: string[] = [];
  for (const { asked, why } of found.values()) faults.push(await described(target, asked, why));
  return { requests: next, statuses, faults, memoryMib: [halfway, await target.memoryMib()], slowest };
}
