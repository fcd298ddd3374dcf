import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AliasName,
  CancelJob,
  CreateJob,
  type FindDataset,
  FindJob,
  ListAliases,
  type JobId,
  type JobView,
  ListJobs,
  PauseJob,
  PlanJob,
  ReadJobEvents,
  ReadJobLog,
  ResumeJob,
  SetJobPriority,
  TrainingSettings,
  TuningName,
} from '@slipway/contracts';
import { Argument, Option } from 'commander';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, group } from '../command.js';
import { untilReady as untilDeploymentReady, waitFor } from '../deployments/wait-for-deployment.js';
import type { Account, Session } from '../session/session.js';
import { type Cell, fields, printable, table, tableOr } from '../table.js';
import { checkedBy, whole } from '../values.js';
import { nameOfFile, pushFile, READING_OPTIONS, type ReadingValues, untilReady } from './dataset-commands.js';
import { planText } from './plan-text.js';
import { bases } from './trainer-commands.js';
import { adapterOfJob, type DatasetReference, findDataset, findJob, JOB, KEEP_SET, versionOf } from './tuning-names.js';

const ASK_EACH_MS = 500;
const ENDED: ReadonlySet<JobView['state']> = new Set(['succeeded', 'failed', 'cancelled', 'paused']);

/** State of a job in one line. */
function jobText({ state, reason, detail, place, step, steps, loss, held_loss: held, eta_s: eta }: JobView): string {
  const parts = [
    reason === null ? state : `${state} (${reason})`,
    ...(place === null ? [] : [`place ${place} in line`]),
    ...(steps === null || state !== 'running' ? [] : [`step ${step} of ${steps}`]),
    ...(loss === null || state !== 'running' ? [] : [`loss ${loss.toFixed(3)}`]),
    ...(held === null ? [] : [`held-out ${held.toFixed(3)}`]),
    ...(eta === null || state !== 'running' ? [] : [`${eta} s left`]),
    ...(detail === null ? [] : [detail]),
  ];
  return parts.join(', ');
}

/** Waits until a job has ended or is paused, with its state on stderr. @throws CliError `job_failed` */
async function untilEnded(session: Session, account: Account, id: JobId): Promise<JobView> {
  for (;;) {
    const { job } = await session.call(FindJob, { account: account.id, job: id });
    session.terminal.status(`job ${id}: ${jobText(job)}`);
    if (ENDED.has(job.state)) {
      session.terminal.clearStatus();
      if (job.state === 'failed')
        throw new CliError('job_failed', `Job ${id} failed: ${jobText(job)}.`, { job: id, reason: job.reason ?? '' });
      return job;
    }
    await delay(ASK_EACH_MS);
  }
}

const { rank, alpha, learning_rate: rate, epochs, batch, beta, seed, held_out: heldOut } = TrainingSettings.shape;
/** Parser of a number that a schema checks, such as 0.1 or 1e-4. */
const numberBy =
  (schema: z.ZodType<number | undefined>) =>
  (text: string): number => {
    const number = /^\d*\.?\d+(?:e-?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    if (!schema.safeParse(number).success) throw new UsageError('It takes a number within its range.');
    return number;
  };

const SETTINGS = [
  new Option('--rank <N>', 'rank of the adapter').argParser(whole(rank)),
  new Option('--alpha <N>', 'scale of the adapter').argParser(whole(alpha)),
  new Option('--rate <X>', 'learning rate, such as 1e-4').argParser(numberBy(rate)),
  new Option('--epochs <N>', 'how often each example is learned').argParser(whole(epochs)),
  new Option('--batch <N>', 'examples of one step').argParser(whole(batch)),
  new Option('--beta <N>', 'of preferences: how much the distance from the base counts').argParser(numberBy(beta)),
  new Option('--seed <N>', 'order of the examples').argParser(whole(seed)),
  new Option('--held-out <PART>', 'part that is kept for measuring, such as 0.1').argParser(numberBy(heldOut)),
];

interface SettingValues {
  readonly rank?: number;
  readonly alpha?: number;
  readonly rate?: number;
  readonly epochs?: number;
  readonly batch?: number;
  readonly beta?: number;
  readonly seed?: number;
  readonly heldOut?: number;
}

function settingsOf({ rate: learning, heldOut: held, ...same }: SettingValues): TrainingSettings {
  const { rank: r, alpha: a, epochs: e, batch: b, beta: d, seed: s } = same;
  const given = { rank: r, alpha: a, learning_rate: learning, epochs: e, batch: b, beta: d, seed: s, held_out: held };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const aliasOption = new Option('--deploy <ALIAS>', 'deploys the adapter under this alias when it passes').argParser(checkedBy(AliasName));

const PRIORITIES = { low: -1, normal: 0, high: 1 } as const;
type Priority = keyof typeof PRIORITIES;
const PRIORITY_WORDS = Object.keys(PRIORITIES) as Priority[];
const priorityText = (priority: number): string => PRIORITY_WORDS.find((word) => PRIORITIES[word] === priority) ?? String(priority);

interface TuneValues extends SettingValues, ReadingValues {
  readonly deploy?: string;
  readonly keepSet?: DatasetReference;
  readonly name?: string;
  readonly priority?: Priority;
  readonly wait?: true;
  readonly plan?: true;
}

/** The data set of an argument: an existing one, or a file, which is sent first. */
async function datasetOf(
  session: Session,
  text: string,
  options: TuneValues,
  path: string,
): Promise<{ readonly account: Account; readonly found: z.output<typeof FindDataset.reply>; readonly version: number }> {
  const reference = /^([a-z0-9][a-z0-9._-]{0,62})(?:@v?([1-9]\d{0,6}))?$/.exec(text);
  const isFile = /[/\\]|\.(?:jsonl?|ndjson|csv|txt|gz)$/i.test(text);
  if (!isFile && reference) {
    const named: DatasetReference = { name: TuningName.parse(reference[1]), version: reference[2] ? Number(reference[2]) : undefined };
    const one = await findDataset(session, named);
    return { ...one, version: versionOf(named, one, 'ready') };
  }
  const reading = {
    ...(options.format !== undefined && { format: options.format }),
    ...(options.repair !== undefined && { repairs: options.repair }),
  };
  const name = TuningName.parse(nameOfFile(path));
  const pushed = await pushFile(session, path, name, reading);
  await untilReady(session, pushed.account, pushed.dataset, pushed.version);
  return { ...(await findDataset(session, { name, version: undefined })), version: pushed.version };
}

/** How long the deployment of a finished job may take to answer, in milliseconds. */
const SERVED_WITHIN_MS = 120_000;

/** Waits until the deployment that a job made answers under its alias. */
async function untilServed(session: Session, account: Account, alias: string): Promise<void> {
  const until = Date.now() + SERVED_WITHIN_MS;
  for (;;) {
    const { aliases } = await session.call(ListAliases, { account: account.id });
    const found = aliases.find((one) => one.alias === alias);
    if (found) return void (await waitFor(session, { account, id: found.deployment }, untilDeploymentReady, until - Date.now()));
    if (Date.now() > until) throw new CliError('timeout', `The job is done, but ${account.slug}/${alias} was not made.`);
    await delay(ASK_EACH_MS);
  }
}

const YES_OR_NO = ['no', 'yes'] as const;
const VERDICTS = {
  passed: ', which passed its gate',
  failed: ', which did not pass its gate: npx slipway adapters show says why',
} as const;

/** What a job made. */
interface Made {
  /** As commands take it; null = nothing. */
  readonly adapter: string | null;
  readonly alias: string | undefined;
}

function endText(job: JobView, account: Account, { adapter: made, alias }: Made): string {
  const adapter = made === null ? 'no adapter was kept' : `adapter ${made}`;
  const verdict = job.passed === null ? '' : VERDICTS[job.passed ? 'passed' : 'failed'];
  const served = alias !== undefined && job.passed === true ? ` It is served as ${account.slug}/${alias}.` : '';
  return `Job ${job.id} ${job.state}: ${adapter}${verdict}.${served}`;
}

/** `npx slipway tune`: from a file or data set to an adapter, and to a deployment. */
export const tune = command(
  'tune',
  'Trains an adapter of a base on a data set or a file, and deploys it if wanted.',
  'Ctrl-C leaves the job running.',
)
  .argument('<BASE>', 'a base of npx slipway jobs bases')
  .argument('<DATASET>', 'a data set, with @ and a version if wanted, or a training file')
  .takes(...SETTINGS, ...READING_OPTIONS, aliasOption)
  .addOption(new Option('--name <NAME>', 'name of the adapter').argParser(checkedBy(TuningName)))
  .addOption(new Option('--priority <WORD>', 'among the waiting jobs of the account').choices(PRIORITY_WORDS))
  .addOption(KEEP_SET)
  .option('--plan', 'shows what would be done, and does nothing')
  .option('--wait', 'waits until the job has ended, and fails with the reason if it failed')
  .takes(ACCOUNT)
  .examples('tune svc-tiny.q8_0 support.jsonl --deploy support --wait', 'tune svc-tiny.q8_0 support@3 --epochs 4 --plan')
  .plans(({ options, cwd }: Call<TuneValues>, base: string, text: string) => async (session) => {
    const { account, found, version } = await datasetOf(session, text, options, resolve(cwd, text));
    const settings = settingsOf(options);
    const kept = options.keepSet === undefined ? null : await findDataset(session, options.keepSet);
    const spec = {
      ...{ account: account.id, base, dataset: found.dataset.id, version, settings },
      ...(options.name !== undefined && { name: options.name }),
      ...(options.priority !== undefined && { priority: PRIORITIES[options.priority] }),
      ...(kept && { gate: { keep_dataset: kept.found.dataset.id } }),
      ...(options.deploy !== undefined && { follow: { deploy: { alias: options.deploy } } }),
    };
    if (options.plan) {
      const { plan } = await session.call(PlanJob, spec);
      return { json: plan, text: planText(plan) };
    }
    const { job: id } = await session.call(CreateJob, spec);
    const json = { account: account.slug, job: id };
    if (!options.wait) return { json, text: `Job ${id} is queued: npx slipway jobs show ${id} shows it.` };
    const job = await untilEnded(session, account, id);
    if (options.deploy !== undefined && job.passed === true) await untilServed(session, account, options.deploy);
    return {
      json: { ...json, ...job },
      text: endText(job, account, { adapter: await adapterOfJob(session, account, job), alias: options.deploy }),
    };
  });

const listRow = (job: JobView): Cell[] => [
  ...[job.id, job.name, job.base, `${job.dataset_name}@${job.version}`, jobText(job), job.created_at],
];

const list = command('list', 'Lists the newest fine-tuning jobs of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { jobs: found, next } = await session.call(ListJobs, { account: account.id });
    const titles = ['JOB', 'NAME', 'BASE', 'DATA SET', 'STATE', 'CREATED'];
    return {
      json: { account: account.slug, jobs: found },
      text: tableOr(`No jobs in account ${account.slug}.`, titles, found.map(listRow)),
      note: next === null ? undefined : 'There are older ones, which the console shows.',
    };
  });

const show = command('show', 'Shows a job with its settings and events.')
  .addArgument(JOB)
  .takes(ACCOUNT)
  .plans((_, number: number) => async (session) => {
    const { account, job } = await findJob(session, number);
    const { events } = await session.call(ReadJobEvents, { account: account.id, job: job.id });
    const facts = fields([
      ['Job', job.id],
      ['Name', job.name],
      ['Base', job.base],
      ['Data set', `${job.dataset_name}@${job.version}`],
      ['State', jobText(job)],
      ['Host', job.host],
      ['Attempt', job.attempt],
      ['Priority', priorityText(job.priority)],
      ['Adapter', await adapterOfJob(session, account, job)],
      ['Passed', job.passed === null ? null : YES_OR_NO[Number(job.passed)]],
      ['Created', job.created_at],
    ]);
    const settings = table(
      ['SETTING', 'VALUE', 'WHY'],
      job.settings.map(({ name, value, reason }) => [name, String(value), reason]),
    );
    const history = tableOr(
      'No events.',
      ['AT', 'LEVEL', 'EVENT', 'TEXT'],
      events.map(({ at, level, code, message }) => [at, level, code, message]),
    );
    return { json: { account: account.slug, job, events }, text: `${facts}\n\n${settings}\n\n${history}` };
  });

const log = command('log', 'Prints the newest lines that the trainer printed, oldest first.')
  .addArgument(JOB)
  .option('--lines <N>', 'how many at most (default: 200)', whole(ReadJobLog.request.shape.lines))
  .takes(ACCOUNT)
  .plans(({ options: { lines } }: Call<{ lines?: number }>, number: number) => async (session) => {
    const { account, job } = await findJob(session, number);
    const reply = await session.call(ReadJobLog, { account: account.id, job: job.id, lines: lines ?? 200 });
    const text = reply.lines.map((line) => `${line.at} attempt ${line.attempt}  ${printable(line.text)}`);
    return { json: { job: job.id, ...reply }, text: text.length === 0 ? 'No lines.' : text.join('\n') };
  });

const pause = command('pause', 'Stores a checkpoint of a job and frees its slot.')
  .addArgument(JOB)
  .takes(ACCOUNT)
  .plans((_, number: number) => async (session) => {
    const { account, job } = await findJob(session, number);
    const reply = await session.call(PauseJob, { account: account.id, job: job.id });
    return { json: reply, text: `Job ${job.id} is ${reply.state}.` };
  });

const resume = command('resume', 'Queues a paused job again, from its checkpoint.')
  .addArgument(JOB)
  .takes(ACCOUNT)
  .plans((_, number: number) => async (session) => {
    const { account, job } = await findJob(session, number);
    const reply = await session.call(ResumeJob, { account: account.id, job: job.id });
    return { json: reply, text: `Job ${job.id} is ${reply.state}.` };
  });

const cancel = command('cancel', 'Ends a job for good.')
  .addArgument(JOB)
  .option('--keep', 'makes an adapter of its best checkpoint')
  .takes(ACCOUNT)
  .plans(({ options: { keep } }: Call<{ keep?: true }>, number: number) => async (session) => {
    const { account, job } = await findJob(session, number);
    const reply = await session.call(CancelJob, { account: account.id, job: job.id, ...(keep && { keep }) });
    return { json: reply, text: `Job ${job.id} is ${reply.state}.` };
  });

const priority = command('priority', 'Changes when a waiting job runs, among those of its account.')
  .addArgument(JOB)
  .addArgument(new Argument('<PRIORITY>', 'among the waiting jobs of the account').choices(PRIORITY_WORDS))
  .takes(ACCOUNT)
  .plans((_, number: number, word: Priority) => async (session) => {
    const { account, job } = await findJob(session, number);
    const reply = await session.call(SetJobPriority, { account: account.id, job: job.id, priority: PRIORITIES[word] });
    return { json: { ...reply, priority: word }, text: `Job ${job.id} has the priority ${word}; it is ${reply.state}.` };
  });

/** `npx slipway jobs …`. */
export const jobs = group('jobs', 'Shows and steers fine-tuning jobs.', [bases, list, show, log, pause, resume, priority, cancel]);
