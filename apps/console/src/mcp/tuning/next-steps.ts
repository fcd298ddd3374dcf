import type { AdapterView, JobView, VersionView } from '@slipway/contracts';
import { adapterText } from './tuning-reference.js';

const AGAIN_S = 5;

/** What to do with a data set whose version is in this state; null = it has none. */
export function afterVersion(name: string, version: VersionView | null): string {
  if (version === null) return `${name} is empty. Call create_dataset_upload, or add_examples.`;
  const { number, state, repairs } = version;
  if (state === 'ready') return `Call list_tunable_bases for the name of a base, then plan_tuning_job with it and dataset ${name}.`;
  if (state !== 'invalid') return `Version ${number} is ${state}. Call get_dataset again in ${AGAIN_S} s.`;
  const problems = `Call get_dataset_problems and say what is wrong.`;
  return repairs.length === 0
    ? `${problems} Then send a corrected file with create_dataset_upload.`
    : `${problems} Then ask the person you work for, and call repair_dataset with ${repairs.join(' or ')}.`;
}

const RUNS_ON: ReadonlySet<JobView['state']> = new Set([
  'validating',
  'queued',
  'starting',
  'running',
  'pausing',
  'finishing',
  'evaluating',
]);

/** What to do with a job. @param adapter what it made, as adapters are named; null = nothing yet */
export function afterJob({ state, reason, detail }: JobView, adapter: string | null): string {
  if (RUNS_ON.has(state) || state === 'cancelling') return `Call get_tuning_job again in ${AGAIN_S} s.`;
  if (state === 'paused') return 'It waits with its checkpoint. Call resume_tuning_job to go on.';
  if (adapter !== null) return `Call get_adapter with ${adapter} for the verdict and its reasons.`;
  if (state === 'cancelled') return 'It made no adapter. Call create_tuning_job to train again.';
  return `It failed${reason === null ? '' : ` (${reason})`}${detail === null ? '' : `: ${detail}`} Say why, and call plan_tuning_job with what you would change.`;
}

/** What to do with an adapter. */
export function afterAdapter(adapter: AdapterView): string {
  const name = adapterText(adapter);
  const [served] = adapter.deployments;
  if (awaitsEvaluation(adapter)) {
    const first = served === undefined ? `Call deploy_adapter with ${name} and without an alias, then` : 'Call';
    return `${name} was not evaluated by a suite that is its gate. ${first} evaluate_adapter; no alias may point at it before.`;
  }
  if (adapter.verdict?.passed === false)
    return `${name} failed its gate, so deploy_adapter refuses it. Say which checks failed; an owner can deploy it in the console with a reason.`;
  if (served !== undefined) return `It is served already. Call get_deployment with deployment-${served}.`;
  return `Ask the person you work for whether to serve it and under which alias, then call deploy_adapter with ${name}, which you repeat as confirm_adapter.`;
}

/** Nothing failed, but a suite that is its gate was not run. */
const awaitsEvaluation = ({ verdict }: AdapterView): boolean =>
  verdict?.passed === false &&
  verdict.checks.some(({ check, passed }) => check === 'suite' && passed === null) &&
  verdict.checks.every(({ passed }) => passed !== false);
