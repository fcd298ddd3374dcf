import type { ConsoleRequest, JobView } from '@slipway/contracts';
import { nameFault } from '../data-sets/tuning-name.js';
import { faultOfAlias } from '../deployments/deployment-draft.js';

/** What a training is for. It sets what is known to help, and shows the data sets that can serve it. */
export type JobGoal = '' | 'facts' | 'style' | 'format' | 'prefer';

/** A job as it stands in the form. Null and empty: chosen by the trainer and the data. */
export interface JobDraft {
  readonly base: string;
  /** Name of the data set. */
  readonly dataset: string;
  /** 0 = the newest ready version. */
  readonly version: number;
  readonly name: string;
  readonly trainer: string;
  readonly rank: number | null;
  readonly alpha: number | null;
  /** As it was typed, such as `1e-4`. */
  readonly learningRate: string;
  readonly epochs: number | null;
  readonly schedule: '' | 'cosine' | 'linear' | 'constant';
  /** Examples of one step. */
  readonly batch: number | null;
  /** As it was typed: how near to the base preferences keep an adapter. */
  readonly beta: string;
  readonly seed: number | null;
  /** In percent. */
  readonly heldOut: number | null;
  readonly tooLong: '' | 'leave_out' | 'cut' | 'refuse';
  readonly earlyStop: '' | 'on' | 'off';
  readonly checkHeldLoss: boolean;
  readonly checkDegenerate: boolean;
  readonly keepPoints: number | null;
  /** Name of a data set whose answers must not change. */
  readonly keepDataset: string;
  readonly deploys: boolean;
  readonly alias: string;
  /** Among the waiting jobs of the account. */
  readonly priority: JobView['priority'];
  /** What it is for. Says nothing to the service: it chose settings and data. */
  readonly goal: JobGoal;
  /** Number of the job whose settings were taken; 0 = none. */
  readonly source: number;
}

/** A job of which nothing is chosen. */
export const EMPTY_JOB: JobDraft = {
  ...{ base: '', dataset: '', version: 0, name: '', trainer: '', rank: null, alpha: null, learningRate: '', epochs: null },
  ...{
    schedule: '',
    batch: null,
    beta: '',
    seed: null,
    heldOut: null,
    tooLong: '',
    earlyStop: '',
    checkHeldLoss: true,
    checkDegenerate: true,
  },
  ...{ keepPoints: null, keepDataset: '', deploys: false, alias: '', priority: 0, goal: '', source: 0 },
};

/** The settings of a job, for another one like it. */
export function draftOf({ id, base, dataset_name: dataset, version, trainer, given, gate, follow, priority }: JobView): JobDraft {
  return {
    ...EMPTY_JOB,
    ...{ base, dataset, version, trainer, source: id },
    ...givenIn(given),
    checkHeldLoss: gate.held_loss ?? true,
    checkDegenerate: gate.degenerate ?? true,
    keepPoints: gate.keep_points ?? null,
    deploys: follow.deploy !== undefined,
    priority,
    alias: follow.deploy?.alias ?? '',
  };
}

/** Settings that were given, and none that were resolved. */
function givenIn(given: JobView['given']): Partial<JobDraft> {
  const { rank = null, alpha = null, epochs = null, batch = null, schedule = '', seed = null } = given;
  return { rank, alpha, epochs, batch, schedule, seed, ...typedIn(given) };
}

/** Those that the form holds in another way. */
function typedIn(given: JobView['given']): Partial<JobDraft> {
  const { learning_rate: rate = '', beta = '', held_out: held = null, too_long: tooLong = '', early_stop: stops } = given;
  return {
    ...{ learningRate: String(rate), beta: String(beta), heldOut: held === null ? null : held * 100, tooLong },
    ...(stops !== undefined && { earlyStop: stops ? 'on' : 'off' }),
  };
}

/** What is wrong with a draft, by field. */
export type JobFaults = Readonly<Partial<Record<keyof JobDraft, string>>>;

const decimalOf = (text: string): number => Number(text.trim().replace(',', '.'));

/** True for an empty text and for a number above 0, up to a bound. */
const isUpTo = (text: string, most: number): boolean => text.trim() === '' || (decimalOf(text) > 0 && decimalOf(text) <= most);

/** What keeps a draft from being sent; empty = nothing. */
export function faultsOf(draft: JobDraft): JobFaults {
  const alias = draft.deploys ? faultOfAlias(draft.alias) : null;
  const name = draft.name.trim() === '' ? null : nameFault(draft.name.trim());
  return {
    ...(draft.base === '' && { base: 'Choose a base.' }),
    ...(draft.dataset === '' && { dataset: 'Choose a data set.' }),
    ...(name !== null && { name }),
    ...(!isUpTo(draft.learningRate, 1) && { learningRate: 'Enter a number above 0 and up to 1, such as 1e-4.' }),
    ...(!isUpTo(draft.beta, 10) && { beta: 'Enter a number above 0 and up to 10, such as 0.1.' }),
    ...(alias !== null && { alias }),
  };
}

/** Number of a data set by its name; undefined where there is none. */
export type IdOfDataset = (name: string) => number | undefined;

/** The request of a draft without faults. Equal drafts make equal requests. */
export function requestOf(draft: JobDraft, idOf: IdOfDataset): ConsoleRequest<'jobs/plan'> {
  const settings = settingsOf(draft);
  const gate = gateOf(draft, idOf);
  const alias = draft.alias.trim();
  return {
    base: draft.base,
    dataset: draft.dataset,
    ...(draft.version > 0 && { version: draft.version }),
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    ...(draft.trainer !== '' && { trainer: draft.trainer }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(Object.keys(gate).length > 0 && { gate }),
    ...(draft.deploys && { follow: { deploy: alias === '' ? {} : { alias } } }),
    ...(draft.priority !== 0 && { priority: draft.priority }),
    ...(draft.source > 0 && { source_job: draft.source }),
  };
}

type Settings = NonNullable<ConsoleRequest<'jobs/plan'>['settings']>;
type Gate = NonNullable<ConsoleRequest<'jobs/plan'>['gate']>;

function settingsOf(draft: JobDraft): Settings {
  return {
    ...(draft.rank !== null && { rank: draft.rank }),
    ...(draft.alpha !== null && { alpha: draft.alpha }),
    ...(draft.learningRate.trim() !== '' && { learning_rate: decimalOf(draft.learningRate) }),
    ...(draft.epochs !== null && { epochs: draft.epochs }),
    ...(draft.schedule !== '' && { schedule: draft.schedule }),
    ...(draft.batch !== null && { batch: draft.batch }),
    ...(draft.beta.trim() !== '' && { beta: decimalOf(draft.beta) }),
    ...(draft.seed !== null && { seed: draft.seed }),
    ...(draft.heldOut !== null && { held_out: draft.heldOut / 100 }),
    ...(draft.tooLong !== '' && { too_long: draft.tooLong }),
    ...(draft.earlyStop !== '' && { early_stop: draft.earlyStop === 'on' }),
  };
}

function gateOf(draft: JobDraft, idOf: IdOfDataset): Gate {
  const keep = draft.keepDataset === '' ? undefined : idOf(draft.keepDataset);
  return {
    ...(!draft.checkHeldLoss && { held_loss: false }),
    ...(!draft.checkDegenerate && { degenerate: false }),
    ...(draft.keepPoints !== null && { keep_points: draft.keepPoints }),
    ...(keep !== undefined && { keep_dataset: keep }),
  };
}

const FIELDS: Readonly<Record<string, keyof JobDraft>> = {
  base: 'base',
  dataset: 'dataset',
  version: 'version',
  name: 'name',
  trainer: 'trainer',
  'settings.rank': 'rank',
  'settings.alpha': 'alpha',
  'settings.learning_rate': 'learningRate',
  'settings.epochs': 'epochs',
  'settings.batch': 'batch',
  'settings.beta': 'beta',
  'settings.seed': 'seed',
  'settings.held_out': 'heldOut',
  'gate.keep_points': 'keepPoints',
  'gate.keep_dataset': 'keepDataset',
  'follow.deploy.alias': 'alias',
};

/** The field that a service names as wrong; null = none of the form. */
export const fieldOfParam = (param: string | null): keyof JobDraft | null => FIELDS[param ?? ''] ?? null;
