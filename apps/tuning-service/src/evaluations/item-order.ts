import { PAIRWISE_GRADERS, type ReadEvaluationItems } from '@slipway/contracts';
import type { z } from 'zod';
import type { Preference } from './answers.repository.js';
import { spokenText } from './conversation.js';
import type { EvaluationRow } from './evaluation-rows.js';
import type { Answer } from './grade.js';

/** An answer that was opened. */
export interface ReadAnswer {
  readonly place: number;
  readonly answer: Answer | null;
  readonly error: string | null;
  readonly passed: (boolean | null)[];
  readonly judged: (Preference | null)[];
  readonly ms: number;
}

/** A conversation with its answers. */
export interface ReadItem {
  readonly n: number;
  readonly example: number;
  readonly prompt: string;
  readonly reference: string;
  readonly answers: ReadAnswer[];
}

type Wanted = Pick<z.output<typeof ReadEvaluationItems.request>, 'filter' | 'deployment' | 'grader'>;

const textOf = (answer: Answer | null): string | null => answer && spokenText(answer);

/** How much worse an answer is than the baseline's, and how often it fails. */
interface Badness {
  readonly worse: number;
  readonly failed: number;
  readonly differs: boolean;
}

function badnessOf(one: ReadAnswer, baseline: ReadAnswer | undefined, graders: readonly number[]): Badness {
  const isBetterThere = (i: number): boolean =>
    one.place > 0 && ((baseline?.passed[i] === true && one.passed[i] === false) || one.judged[i] === 'worse');
  return {
    worse: graders.filter(isBetterThere).length,
    failed: graders.filter((i) => one.passed[i] === false).length,
    differs: one.place > 0 && textOf(one.answer) !== textOf(baseline?.answer ?? null),
  };
}

/** The items that a reader wants, the worst first. */
export function orderedItems(row: EvaluationRow, items: readonly ReadItem[], { filter = 'all', deployment, grader }: Wanted): ReadItem[] {
  const place = deployment === undefined ? null : row.deployments.findIndex((one) => one.deployment === deployment);
  const graders = row.graders.flatMap((one, i) => ((grader === undefined || grader === i) && !isPeople(one.kind) ? [i] : []));
  const rated = items.map((item) => {
    const baseline = item.answers.find((one) => one.place === 0);
    const all = item.answers.filter((one) => place === null || one.place === place).map((one) => badnessOf(one, baseline, graders));
    const sum = (name: 'worse' | 'failed'): number => all.reduce((total, each) => total + each[name], 0);
    return { item, worse: sum('worse'), failed: sum('failed'), differs: all.some(({ differs }) => differs) };
  });
  const isWanted = { all: () => true, worse: isWorse, failed: hasFailed, differs: isDifferent }[filter];
  return rated
    .filter((each) => isWanted(each))
    .toSorted((a, b) => b.worse - a.worse || b.failed - a.failed || Number(b.differs) - Number(a.differs) || a.item.n - b.item.n)
    .map(({ item }) => item);
}

const isPeople = (kind: string): boolean => PAIRWISE_GRADERS.includes(kind) && kind !== 'judge';
const isWorse = ({ worse }: { worse: number }): boolean => worse > 0;
const hasFailed = ({ failed }: { failed: number }): boolean => failed > 0;
const isDifferent = ({ differs }: { differs: boolean }): boolean => differs;
