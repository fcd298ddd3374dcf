import { CONTRACTS, type ContractName, type Need, OTHERS } from './case.js';
import type { Verdict } from './run-cases.js';

/** How many cases came out how. */
export interface Score {
  readonly cases: number;
  readonly passed: number;
  readonly failed: number;
  readonly notRun: number;
}

/** Counts verdicts. */
function scoreOf(verdicts: readonly Verdict[]): Score {
  const count = (outcome: Verdict['outcome']): number => verdicts.filter((verdict) => verdict.outcome === outcome).length;
  return { cases: verdicts.length, passed: count('passed'), failed: count('failed'), notRun: count('not run') };
}

const OPTION: Readonly<Partial<Record<Need, string>>> = {
  engine: '--engine-port',
  revoke: '--spare-key and --revoke',
  store: '--store',
};

/** The option that gives a case what it needs. */
export const optionFor = (need: Need): string => OPTION[need] ?? (need in OTHERS ? `--also ${need}=URL` : need);

/** The first failure of a case; a record has them all. */
function failureLines({ number, failures: [first, ...more] }: Verdict): string[] {
  if (!first) return [];
  return [
    `  ✗ ${number}  ${first.promise}`,
    `      expected  ${first.expected}`,
    `      came      ${first.came}`,
    `      breaks    ${first.breaks}`,
    ...more.map(({ promise }) => `      also      ${promise}`),
  ];
}

/** The cases that were not run, by what they need. */
function notRunLines(verdicts: readonly Verdict[]): string[] {
  const byNeed = new Map<string, number[]>();
  for (const { number, missing } of verdicts) {
    if (missing.length === 0) continue;
    const options = missing.map(optionFor).join(', ');
    byNeed.set(options, [...(byNeed.get(options) ?? []), number]);
  }
  return [...byNeed].map(([options, numbers]) => `  – not run without ${options}: ${numbers.join(', ')}`);
}

const scoreLine = (name: string, { cases, passed, failed, notRun }: Score): string =>
  `${name.padEnd(11)} ${cases} cases: ${passed} passed, ${failed} failed, ${notRun} not run`;

/** The result in words: a score for each contract, every failure, and what was not run. */
export function reportOf(verdicts: readonly Verdict[]): string {
  const lines = CONTRACTS.flatMap((contract) => {
    const own = verdicts.filter((verdict) => verdict.contract === contract).toSorted((a, b) => a.number - b.number);
    return own.length === 0 ? [] : [scoreLine(contract, scoreOf(own)), ...own.flatMap(failureLines), ...notRunLines(own)];
  });
  return [...lines, scoreLine('all', scoreOf(verdicts))].join('\n');
}

/** The result for programs. */
export function recordOf(target: string, verdicts: readonly Verdict[]): object {
  const contracts = CONTRACTS.filter((contract) => verdicts.some((verdict) => verdict.contract === contract));
  const scores = contracts.map((contract): [ContractName, Score] => [
    contract,
    scoreOf(verdicts.filter((one) => one.contract === contract)),
  ]);
  return { target, score: scoreOf(verdicts), contracts: Object.fromEntries(scores), cases: verdicts };
}
