import {
  type AdapterView,
  FindAdapter,
  FindDataset,
  FindJob,
  isServiceError,
  JobId,
  type JobView,
  ListAdapters,
  TuningName,
} from '@slipway/contracts';
import { Argument, Option } from 'commander';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { CliError, UsageError } from '../cli-errors.js';
import type { Account, Session } from '../session/session.js';
import { whole } from '../values.js';

/** A data set as the command line names it: its name, and a version after an `@`. */
export interface DatasetReference {
  readonly name: TuningName;
  readonly version: number | undefined;
}
type TuningName = z.output<typeof TuningName>;

const REFERENCE = /^([^@]+)(?:@v?([1-9]\d{0,6}))?$/;

function readReference(text: string, what: string): DatasetReference {
  const [, name = '', version] = REFERENCE.exec(text) ?? [];
  const parsed = TuningName.safeParse(name);
  if (!parsed.success)
    throw new UsageError(`"${text}" is no ${what}: a name of lowercase letters, digits, dots and hyphens, with @ before a version.`);
  return { name: parsed.data, version: version === undefined ? undefined : Number(version) };
}

/** The argument that names a data set. */
export const DATASET = new Argument('<DATASET>', 'name of a data set, with @ and a version: support@3').argParser((text) =>
  readReference(text, 'data set'),
);

/** Parser of a data set's name where its newest version is meant. */
function datasetName(text: string): DatasetReference {
  const named = readReference(text, 'data set');
  if (named.version !== undefined) throw new UsageError('Name the data set without a version: its newest ready one is taken.');
  return named;
}

/** The option that names a keep set. */
export const KEEP_SET = new Option('--keep-set <DATASET>', 'a data set of conversations whose answers must not change').argParser(
  datasetName,
);

/** The argument that names an adapter. */
export const ADAPTER = new Argument('<ADAPTER>', 'name of an adapter, with @ and a version: support@2').argParser((text) =>
  readReference(text, 'adapter'),
);

/** The argument that names a job. */
export const JOB = new Argument('<JOB>', 'number of a job').argParser(whole(JobId));

/** A data set of an account, with its versions. */
export interface FoundDataset {
  readonly account: Account;
  readonly found: z.output<typeof FindDataset.reply>;
}

/** @throws ServiceError `dataset_not_found` */
export async function findDataset(session: Session, { name }: DatasetReference): Promise<FoundDataset> {
  const account = await findAccount(session);
  return { account, found: await session.call(FindDataset, { account: account.id, dataset: name }) };
}

/** The version that a command means. @throws CliError `dataset_not_ready` */
export function versionOf({ version, name }: DatasetReference, { found }: FoundDataset, use: 'ready' | 'newest'): number {
  const meant = version ?? (use === 'ready' ? found.dataset.ready : found.dataset.head?.number);
  if (meant !== undefined && meant !== null) return meant;
  throw new CliError('dataset_not_ready', `The data set ${name} has no version that is ready.`);
}

/** A job of an account. */
export interface FoundJob {
  readonly account: Account;
  readonly job: JobView;
}

/** @throws ServiceError `job_not_found` */
export async function findJob(session: Session, number: number): Promise<FoundJob> {
  const account = await findAccount(session);
  return { account, ...(await session.call(FindJob, { account: account.id, job: JobId.parse(number) })) };
}

/** The adapter of a job as commands take it, `support@2`; null where none was kept, or it was deleted. */
export async function adapterOfJob(session: Session, account: Account, { adapter }: JobView): Promise<string | null> {
  if (adapter === null) return null;
  try {
    const { adapter: found } = await session.call(FindAdapter, { account: account.id, adapter });
    return `${found.name}@${found.version}`;
  } catch (error) {
    if (isServiceError(error) && error.code === 'adapter_not_found') return null;
    throw error;
  }
}

/** An adapter of an account. @throws CliError `adapter_not_found` */
export async function findAdapter(
  session: Session,
  { name, version }: DatasetReference,
): Promise<{ account: Account; adapter: AdapterView }> {
  const account = await findAccount(session);
  const { adapters } = await session.call(ListAdapters, { account: account.id, name });
  const adapter = adapters.find((one) => version === undefined || one.version === version);
  if (adapter) return { account, adapter };
  throw new CliError('adapter_not_found', `Account ${account.slug} has no adapter ${name}${version === undefined ? '' : `@${version}`}.`);
}
