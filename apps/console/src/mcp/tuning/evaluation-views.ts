import { type DeploymentResult, deploymentSlug, type EvaluationView, type GraderResult, type SuiteView } from '@slipway/contracts';
import { z } from 'zod';
import { knownFields } from '../mcp-tool.js';

/** A suite as tools show it, without the text of its graders. */
export const ShownSuite = z.object({
  suite: z.string(),
  dataset: z.string(),
  version: z.int(),
  items: z.int(),
  graders: z.array(z.string()),
  gate_of: z.string().optional().describe('The adapter that must pass it before an alias may point at it.'),
  dataset_is_deleted: z.literal(true).optional(),
});

export const shownSuite = ({ name, dataset_name: dataset, version, sample, graders, gate, source_deleted: isGone }: SuiteView) => ({
  ...{ suite: name, dataset, version, items: sample, graders: graders.map(({ kind }) => kind) },
  ...(gate !== null && { gate_of: gate.adapter }),
  ...(isGone && { dataset_is_deleted: true as const }),
});

const Interval = { percent: z.number(), low: z.number().describe('Of the 95 % interval.'), high: z.number() };

/** An evaluation in lists. */
export const ListedEvaluation = z.object({
  evaluation: z.int(),
  suite: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  baseline: z.string(),
  deployments: z.array(z.string()),
  done: z.int().describe('Answers and verdicts that are stored.'),
  total: z.int(),
});

const names = ({ deployments }: EvaluationView): string[] => deployments.map(({ deployment }) => deploymentSlug(deployment));

export const listedEvaluation = (view: EvaluationView) => ({
  ...{ evaluation: view.id, suite: view.suite_name, state: view.state, baseline: names(view)[0] ?? '', deployments: names(view).slice(1) },
  ...{ done: view.done, total: view.total, ...knownFields({ reason: view.reason, detail: view.detail }) },
});

/** An evaluation with its figures. */
export const ShownEvaluation = ListedEvaluation.extend({
  results: z.array(
    z.object({
      deployment: z.string(),
      adapter: z.string().optional(),
      answered: z.int(),
      failed: z.int().describe('Questions without an answer. They pass no grader.'),
      graders: z.array(
        z.object({
          grader: z.string(),
          passed: z.int(),
          of: z.int(),
          ...Interval,
          delta_points: z.number().optional().describe('Against the baseline, on the same items.'),
          delta_low: z.number().optional(),
          delta_high: z.number().optional(),
          is_certain: z.boolean().optional().describe('The 95 % interval of the difference does not contain 0.'),
        }),
      ),
      preferred: z.array(z.object({ by: z.string(), wins: z.int(), losses: z.int(), ties: z.int(), unread: z.int() })),
    }),
  ),
});

const rounded = (value: number): number => Math.round(value * 10) / 10;

function shownGrader({ grader, passed, of, rate, delta }: GraderResult, { graders }: EvaluationView) {
  if (rate === null) return [];
  const difference = delta && {
    ...{
      delta_points: rounded(delta.points),
      delta_low: rounded(delta.low),
      delta_high: rounded(delta.high),
      is_certain: delta.is_certain,
    },
  };
  const share = { percent: rounded(100 * rate.share), low: rounded(100 * rate.low), high: rounded(100 * rate.high) };
  return [{ grader: graders[grader]?.kind ?? `grader ${grader + 1}`, passed, of, ...share, ...difference }];
}

function shownResult({ deployment, answered, failed, graders, preferences }: DeploymentResult, view: EvaluationView) {
  const { adapter = null } = view.deployments.find((one) => one.deployment === deployment) ?? {};
  return {
    deployment: deploymentSlug(deployment),
    ...(adapter !== null && { adapter: `${adapter.name}@${adapter.version}` }),
    ...{ answered, failed, graders: graders.flatMap((one) => shownGrader(one, view)) },
    preferred: preferences.map(({ grader, wins, losses, ties, unread }) => ({
      ...{ by: view.graders[grader]?.kind ?? `grader ${grader + 1}`, wins, losses, ties, unread },
    })),
  };
}

export const shownEvaluation = (view: EvaluationView) => ({
  ...listedEvaluation(view),
  results: view.results.map((result) => shownResult(result, view)),
});

const AGAIN_S = 5;

/** What to do with an evaluation. */
export function afterEvaluation({ id, state, detail }: EvaluationView): string {
  if (state === 'queued' || state === 'running') return `Call get_evaluation with ${id} again in ${AGAIN_S} s.`;
  if (state === 'failed')
    return `It failed${detail === null ? '' : `: ${detail}`} Say why, and call create_evaluation again once that is mended.`;
  if (state === 'cancelled') return 'It was cancelled. Its figures are of the answers that it had.';
  return `Say each difference with its interval, and that one which is not certain may be chance. Call get_evaluation_answers with ${id} for the worst answers, where an owner allowed it.`;
}
