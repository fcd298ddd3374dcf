import {
  type AdapterId,
  CancelJob,
  CreateJob,
  FindAdapter,
  GateSettings,
  isServiceError,
  JOB_STATES,
  JobId,
  ListBases,
  type JobPlan,
  ListJobs,
  PauseJob,
  PlanJob,
  ReadJobEvents,
  ReadMetrics,
  ResumeJob,
  TrainingSettings,
  TuningName,
} from '@slipway/contracts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { aliasInput, readAlias, requireConfirmation } from '../deployment-reference.js';
import { defineTool, knownFields, READS, type ToolCall } from '../mcp-tool.js';
import { pageOutput, readCursor, writeCursor } from '../page-cursor.js';
import { requireAgreement } from '../person.js';
import { afterJob } from './next-steps.js';
import { adapterText, DatasetRef, datasetIdOf, JobRef, openJob, versionInput } from './tuning-reference.js';
import { ShownJob, shownJob } from './tuning-views.js';

export const listTunableBases = defineTool({
  name: 'list_tunable_bases',
  title: 'List bases for fine-tuning',
  description: 'Lists the models that adapters can be trained for, with the trainers that are ready for each.',
  hints: READS,
  input: z.object({}),
  output: z.object({
    bases: z.array(
      z.object({
        base: z.string(),
        architecture: z.string(),
        context: z.int().describe('Tokens of the longest example.'),
        trainers: z.array(z.string()).describe('Empty = none can train it now; detail says what to do.'),
        detail: z.string().optional(),
      }),
    ),
    workers: z.int().describe('Connected training workers.'),
    next_step: z.string(),
  }),
  run: async (_, { rpc, caller }) => {
    const { bases, workers } = await rpc.call(ListBases, { account: caller.account });
    return {
      bases: bases.map(({ base, architecture, context, trainers, detail }) => ({
        ...{ base, architecture, context, trainers },
        ...knownFields({ detail }),
      })),
      workers,
      next_step: bases.some(({ trainers }) => trainers.length > 0)
        ? 'Call plan_tuning_job with a base that has a trainer.'
        : 'Nothing can be trained now. Call list_tunable_bases again in 10 s: a worker that has just started reads its models first. If that does not help, tell the person you work for what detail says; an operator starts a training worker.',
    };
  },
});

const jobInput = {
  base: z.string().min(1).max(200).describe('A base of list_tunable_bases.'),
  dataset: DatasetRef,
  version: versionInput,
  name: TuningName.optional().describe('Name of the adapter; made from the data set’s unless given.'),
  settings: TrainingSettings.optional().describe('Chosen from the data unless given.'),
  gate: GateSettings.omit({ keep_dataset: true }).optional().describe('Which checks decide whether the adapter is good.'),
  keep_dataset: DatasetRef.optional().describe('A data set of conversations whose answers must not change.'),
  alias: aliasInput.optional().describe('Deploys the adapter under this alias when it passes.'),
  priority: z.int().min(-1).max(1).optional().describe('Among the waiting jobs of the account: 1 = before, -1 = after the others.'),
};
type JobInput = z.output<z.ZodObject<typeof jobInput>>;

async function specOf(
  { alias, dataset, keep_dataset: kept, gate, ...rest }: JobInput,
  call: ToolCall,
): Promise<{
  readonly account: typeof call.caller.account;
  readonly dataset: Awaited<ReturnType<typeof datasetIdOf>>;
  readonly base: string;
}> {
  const { caller } = call;
  const deploy = alias === undefined ? {} : { follow: { deploy: { alias: readAlias(alias, caller.slug) } } };
  const keep = kept === undefined ? {} : { keep_dataset: await datasetIdOf(kept, call) };
  const checks = gate !== undefined || kept !== undefined ? { gate: { ...gate, ...keep } } : {};
  return { account: caller.account, ...rest, dataset: await datasetIdOf(dataset, call), ...checks, ...deploy };
}

export const planTuningJob = defineTool({
  name: 'plan_tuning_job',
  title: 'Plan a fine-tuning job',
  description:
    'Shows what create_tuning_job would do with the same arguments: settings, steps, tokens, time, memory, warnings. It changes nothing.',
  hints: READS,
  input: z.object(jobInput),
  output: z.object({
    base: z.string(),
    dataset_version: z.int(),
    trainer: z.string(),
    keep_set: z.string().optional().describe('Name and version; absent = the one that comes with the base, or none.'),
    examples: z.int(),
    held_out: z.int().describe('Examples that are kept for measuring.'),
    left_out: z.int(),
    steps: z.int(),
    learned_tokens: z.int(),
    seconds: z.object({ low: z.int(), high: z.int() }).optional().describe('Absent until this base was trained once.'),
    memory_bytes: z.int().optional().describe('Of the training worker; about 7 % off. Absent = unknown.'),
    settings: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]), reason: z.string() })),
    placement: z.string(),
    warnings: z.array(z.string()),
    plan: z.string().describe('Stands for this plan: pass it as confirm_plan once the person agrees.'),
    next_step: z.string(),
  }),
  run: async (input, call) => {
    const spec = await specOf(input, call);
    const { plan } = await call.rpc.call(PlanJob, spec);
    const {
      base,
      version,
      keep_set: kept,
      trainer,
      examples,
      held_out,
      left_out,
      steps,
      learned_tokens,
      seconds,
      memory_bytes,
      settings,
      placement,
      warnings,
    } = plan;
    return {
      ...{ base, dataset_version: version, trainer, examples, held_out, left_out, steps, learned_tokens, settings, placement },
      ...knownFields({ keep_set: kept && `${kept.name}@${kept.version}` }),
      ...knownFields({ seconds: seconds === null ? null : { low: seconds.low, high: seconds.high }, memory_bytes }),
      warnings: warnings.map(({ message }) => message),
      plan: planName(spec, version),
      next_step:
        'Show the person you work for the plan and every warning. Once they agree, call create_tuning_job with the same arguments, and plan as confirm_plan.',
    };
  },
});

export const createTuningJob = defineTool({
  name: 'create_tuning_job',
  title: 'Start a fine-tuning job',
  description:
    'Trains an adapter. It returns at once; call get_tuning_job until the state is succeeded or failed. Show the person you work for the plan of plan_tuning_job first, and pass its plan as confirm_plan once they agree. Give an idempotency_key, so that a repeated call starts no second job.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: false },
  input: z.object({
    ...jobInput,
    confirm_plan: z.string().max(64).optional().describe('plan of plan_tuning_job, once the person you work for agrees.'),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/)
      .describe('Your own name for this job.'),
  }),
  output: z.object({ job: z.int(), state: z.string(), next_step: z.string() }),
  run: async ({ idempotency_key: key, confirm_plan: given, ...input }, call) => {
    const spec = await specOf(input, call);
    const { plan } = await call.rpc.call(PlanJob, spec);
    requireAgreement(call, {
      ...{ argument: 'confirm_plan', given, wanted: planName(spec, plan.version) },
      question: `Fine-tune ${plan.base} on ${input.dataset}@${plan.version}: ${plan.examples} examples, ${plan.steps} steps${timeOf(plan)}${input.alias === undefined ? '' : `, and serve it as ${input.alias} if it passes its checks`}?`,
      advice: 'Call plan_tuning_job with the same arguments, show them the plan, and pass its plan as confirm_plan.',
    });
    const { job } = await call.rpc.call(CreateJob, { ...spec, idempotency_key: key, actor: call.actor });
    const { state } = await openJob(job, call);
    return {
      job,
      state,
      next_step: `Call get_tuning_job with ${job} every few seconds until the state is succeeded, failed or cancelled.`,
    };
  },
});

/** Stands for what a person agreed to: the arguments, and the version of the data that they mean. */
const planName = (spec: object, version: number): string =>
  `plan-${createHash('sha256')
    .update(JSON.stringify([spec, version]))
    .digest('hex')
    .slice(0, 12)}`;

const timeOf = ({ seconds }: JobPlan): string => (seconds === null ? '' : `, about ${Math.ceil(seconds.high / 60)} min`);

export const listTuningJobs = defineTool({
  name: 'list_tuning_jobs',
  title: 'List fine-tuning jobs',
  description: 'Lists the fine-tuning jobs of the account, the newest first.',
  hints: READS,
  input: z.object({
    state: z.enum(JOB_STATES).optional().describe('Only those in this state.'),
    cursor: z.string().max(200).optional().describe('next_cursor of the previous page.'),
  }),
  output: z.object({ jobs: z.array(ShownJob), ...pageOutput }),
  run: async ({ state, cursor }, { rpc, caller }) => {
    const before = readCursor(cursor, /^[1-9]\d{0,9}$/);
    const { jobs, next } = await rpc.call(ListJobs, {
      account: caller.account,
      ...(state !== undefined && { states: [state] }),
      ...(before !== null && { before: JobId.parse(Number(before)) }),
    });
    return { jobs: jobs.map(shownJob), ...(next !== null && { next_cursor: writeCursor(String(next)) }) };
  },
});

const POINTS = 20;
const EVENTS = 50;

export const getTuningJob = defineTool({
  name: 'get_tuning_job',
  title: 'Show a fine-tuning job',
  description: 'Shows the state, progress, last losses and events of a job.',
  hints: READS,
  input: z.object({
    job: JobRef,
    since_step: z.int().nonnegative().optional().describe('Losses after this step; the last 20 unless given.'),
  }),
  output: ShownJob.extend({
    points: z.array(z.object({ step: z.int(), loss: z.number().optional(), held_loss: z.number().optional() })),
    events: z.array(z.object({ at: z.string(), level: z.string(), event: z.string(), text: z.string() })),
    next_step: z.string(),
  }),
  run: async ({ job: number, since_step: since }, call) => {
    const { rpc, caller } = call;
    const job = await openJob(number, call);
    const target = { account: caller.account, job: job.id };
    const [{ points }, { events }] = await Promise.all([rpc.call(ReadMetrics, { ...target, since }), rpc.call(ReadJobEvents, target)]);
    const adapter = job.adapter === null ? null : await nameOfAdapter(job.adapter, call);
    return {
      ...shownJob(job),
      ...knownFields({ adapter }),
      next_step: afterJob(job, adapter),
      points: points.slice(-POINTS).map(({ step, loss, held_loss: held }) => ({ step, ...knownFields({ loss, held_loss: held }) })),
      events: events.slice(-EVENTS).map(({ at, level, code, message }) => ({ at, level, event: code, text: message })),
    };
  },
});

/** An adapter as agents name it; null where it was deleted. */
async function nameOfAdapter(adapter: AdapterId, { rpc, caller }: ToolCall): Promise<string | null> {
  try {
    return adapterText((await rpc.call(FindAdapter, { account: caller.account, adapter })).adapter);
  } catch (error) {
    if (isServiceError(error) && error.code === 'adapter_not_found') return null;
    throw error;
  }
}

const JobChanged = z.object({ job: z.int(), state: z.string() });

export const pauseTuningJob = defineTool({
  name: 'pause_tuning_job',
  title: 'Pause a fine-tuning job',
  description: 'Stores a checkpoint and frees the slot until resume_tuning_job.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({ job: JobRef }),
  output: JobChanged,
  run: async ({ job: number }, call) => {
    const { id } = await openJob(number, call);
    return call.rpc.call(PauseJob, { account: call.caller.account, job: id, actor: call.actor });
  },
});

export const resumeTuningJob = defineTool({
  name: 'resume_tuning_job',
  title: 'Resume a fine-tuning job',
  description: 'Queues a paused job again, from its checkpoint.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({ job: JobRef }),
  output: JobChanged,
  run: async ({ job: number }, call) => {
    const { id } = await openJob(number, call);
    return call.rpc.call(ResumeJob, { account: call.caller.account, job: id, actor: call.actor });
  },
});

export const cancelTuningJob = defineTool({
  name: 'cancel_tuning_job',
  title: 'Cancel a fine-tuning job',
  description: 'Ends a job for good; with keep its best checkpoint becomes an adapter. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    job: JobRef,
    confirm_job: z.string().max(10).describe('The number again, once the person you work for agrees.'),
    keep: z.boolean().optional().describe('Make an adapter of the best checkpoint.'),
  }),
  output: JobChanged,
  run: async ({ job: number, confirm_job: confirmed, keep }, call) => {
    const { id } = await openJob(number, call);
    requireConfirmation('confirm_job', confirmed, String(id));
    return call.rpc.call(CancelJob, { account: call.caller.account, job: id, keep, actor: call.actor });
  },
});
