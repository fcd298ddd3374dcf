import {
  type DeploymentResult,
  type EvaluationId,
  type GateCheck,
  type GraderResult,
  type GraderView,
  type Verdict,
} from '@slipway/contracts';

/** A suite that an adapter must pass, with the newest evaluation of the adapter by it. */
export interface SuiteOutcome {
  readonly name: string;
  /** Percentage points that each grader may lose against the baseline. */
  readonly points: number;
  /** Null = the adapter was not evaluated by it yet. */
  readonly evaluation: {
    readonly id: EvaluationId;
    /** Name of the baseline's deployment. */
    readonly baseline: string;
    readonly graders: readonly Pick<GraderView, 'kind'>[];
    readonly result: DeploymentResult;
  } | null;
}

const percent = (value: number): number => Math.round(value * 10) / 10;

/** What a suite says of an adapter. One that was not run yet decides nothing of deploying, and holds up promotion. */
export function suiteCheck({ name, points, evaluation }: SuiteOutcome): GateCheck {
  const check = { check: 'suite', base: null, adapter: null, bound: null, examples: 0 };
  if (evaluation === null)
    return {
      ...check,
      passed: null,
      detail: `The suite ${name} has not been run on this adapter. Evaluate a deployment of it before an alias points at it.`,
    };
  const { id, baseline, graders, result } = evaluation;
  const nameOf = (place: number): string => graders[place]?.kind ?? `grader ${place + 1}`;
  const lost = result.graders.filter(({ delta }) => delta !== null && delta.points < -points);
  const unliked = result.preferences.filter(({ grader, rate }) => nameOf(grader) === 'judge' && rate !== null && rate.high < 0.5);
  const worst = result.graders.toSorted((a, b) => (a.delta?.points ?? 0) - (b.delta?.points ?? 0))[0];
  const failures = [
    ...lost.map(({ grader, delta }) => `${nameOf(grader)} lost ${percent(-(delta?.points ?? 0))} points`),
    ...unliked.map(({ wins, losses }) => `the judge preferred the baseline in ${losses} of ${wins + losses} items`),
  ];
  const detail =
    failures.length === 0
      ? `The suite ${name}: no grader lost more than ${points} points against ${baseline} (evaluation ${id}).`
      : `The suite ${name}: ${failures.join(', ')} against ${baseline}; ${points} points may be lost (evaluation ${id}).`;
  return { ...check, ...figuresOf(worst, points), passed: failures.length === 0, detail: detail.slice(0, 500) };
}

/** Shares of the grader that lost most, in percent. */
function figuresOf(worst: GraderResult | undefined, points: number): Pick<GateCheck, 'base' | 'adapter' | 'bound' | 'examples'> {
  if (!worst?.rate || !worst.delta) return { base: null, adapter: null, bound: null, examples: worst?.of ?? 0 };
  const adapter = 100 * worst.rate.share;
  const base = adapter - worst.delta.points;
  return { base: percent(base), adapter: percent(adapter), bound: percent(base - points), examples: worst.delta.items };
}

/** The verdict of the training's gate and of all suites: passed where none failed and each suite was run. Null where there is neither. */
export function wholeVerdict(verdict: Verdict | null, outcomes: readonly SuiteOutcome[]): Verdict | null {
  if (outcomes.length === 0) return verdict;
  const suites = outcomes.map(suiteCheck);
  return {
    passed: verdict?.passed !== false && suites.every(({ passed }) => passed === true),
    checks: [...(verdict?.checks ?? []), ...suites],
  };
}
