import type { DeploymentResult, EvaluationView, GraderResult, GraderView, PreferenceResult } from '@slipway/contracts';
import type { StatusLook } from '../ui/status.js';

/** States of evaluations in words. */
export const EVALUATION_STATES: Readonly<Record<EvaluationView['state'], { readonly text: string; readonly look: StatusLook }>> = {
  queued: { text: 'Queued', look: 'plain' },
  running: { text: 'Running', look: 'busy' },
  succeeded: { text: 'Done', look: 'good' },
  failed: { text: 'Failed', look: 'bad' },
  cancelled: { text: 'Cancelled', look: 'plain' },
};

/** Whether nothing of it changes any more but votes. */
export const isOver = ({ state }: Pick<EvaluationView, 'state'>): boolean => state !== 'queued' && state !== 'running';

const GRADERS: Readonly<Record<string, string>> = {
  exact: 'Exact',
  contains: 'Contains',
  regex: 'Expression',
  json_schema: 'JSON schema',
  tool_call: 'Tool call',
  degenerate: 'Not degenerate',
  length: 'Length',
  judge: 'Judge',
  people: 'People',
};

/** A grader in words. One of a later release shows its own name. */
export const graderName = (grader: Pick<GraderView, 'kind'> | undefined): string =>
  grader ? (GRADERS[grader.kind] ?? grader.kind.replaceAll('_', ' ')) : 'Grader';

/** What a grader was told, as far as the reader may see it. */
export function graderDetail({ text, pattern, min, max, rubric, ignore_case: ignores }: GraderView): string {
  const bounds = [min !== undefined && `at least ${min}`, max !== undefined && `at most ${max}`].filter((one) => one !== false).join(', ');
  const parts = [text, pattern, rubric, bounds === '' ? undefined : `${bounds} characters`, ignores === true ? 'any case' : undefined];
  return parts.filter((one) => one !== undefined).join(' · ');
}

const POINTS = new Intl.NumberFormat('en', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A share: `83 %`. */
export const shareText = (share: number): string => SHARE.format(share).replace('%', ' %');

/** The 95 % interval of a share: `75 % to 89 %`. */
export const intervalText = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `95 %: ${shareText(low)} to ${shareText(high)}`;

/** A difference with what is known of it: `+6 points, 95 % −1 to +13, 100 items: not certain`. */
export function deltaText({ points, low, high, items, is_certain: isCertain }: NonNullable<GraderResult['delta']>): string {
  const range = `95 % ${POINTS.format(low)} to ${POINTS.format(high)}`;
  return `${POINTS.format(points)} points, ${range}, ${items} ${items === 1 ? 'item' : 'items'}: ${isCertain ? 'certain' : 'not certain'}`;
}

/** How a difference looks: only a certain one is good or bad. */
export function deltaLook({ points, is_certain: isCertain }: NonNullable<GraderResult['delta']>): StatusLook {
  if (!isCertain) return 'plain';
  return points > 0 ? 'good' : 'warn';
}

/** How often a deployment was preferred: `30 wins, 20 losses, 48 ties`. */
export const preferenceText = ({ wins, losses, ties, unread }: PreferenceResult): string =>
  [`${wins} wins`, `${losses} losses`, `${ties} ties`, ...(unread > 0 ? [`${unread} unread`] : [])].join(', ');

/** The worst or best certain difference of an evaluation, for lists; null where nothing is certain. */
export function headline({ results, graders }: Pick<EvaluationView, 'results' | 'graders'>): string | null {
  const deltas = results.flatMap((result: DeploymentResult) =>
    result.graders.flatMap((one) => (one.delta ? [{ ...one.delta, grader: one.grader }] : [])),
  );
  const certain = deltas.filter(({ is_certain: isCertain }) => isCertain).toSorted((a, b) => a.points - b.points);
  const [first] = certain;
  if (!first) return deltas.length === 0 ? null : 'No certain difference';
  const shown = first.points < 0 ? first : (certain.at(-1) ?? first);
  return `${graderName(graders[shown.grader])} ${POINTS.format(shown.points)} points`;
}
