import { createWriteStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AddSample,
  CompareVersions,
  CreateDataset,
  DATASET_FORMATS,
  DATASET_REPAIRS,
  type DatasetId,
  type DatasetRepair,
  DeleteDataset,
  DownloadDataset,
  FindDataset,
  FindVersion,
  isServiceError,
  ListDatasets,
  type DatasetView,
  OpenUpload,
  FindUpload,
  ReadIssues,
  TuningName,
  type VersionView,
} from '@slipway/contracts';
import { Option } from 'commander';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, confirmation, group, YES } from '../command.js';
import { sizeText } from '../deployments/show-commands.js';
import type { Account, Session } from '../session/session.js';
import { type Cell, fields, tableOr } from '../table.js';
import { checkedBy, whole } from '../values.js';
import { checkFile, type FileReading } from './check-file.js';
import { sendFile, sha256Of, sizeOf } from './send-file.js';
import { DATASET, type DatasetReference, findDataset, versionOf } from './tuning-names.js';

const ASK_EACH_MS = 300;

/** Options of commands that read a file. */
export const READING_OPTIONS = [
  new Option('--format <FORMAT>', 'format of the file (default: found from it)').choices(DATASET_FORMATS),
  new Option('--repair <REPAIR...>', 'repairs that are applied').choices(DATASET_REPAIRS),
];

/** Values of `READING_OPTIONS`. */
export interface ReadingValues {
  readonly format?: (typeof DATASET_FORMATS)[number];
  readonly repair?: readonly DatasetRepair[];
}

const readingOf = ({ format, repair }: ReadingValues): FileReading => ({
  ...(format !== undefined && { format }),
  ...(repair !== undefined && { repairs: repair }),
});

/** Address of a path on the console. @throws CliError `no_console` */
export function consoleAddress({ consoleUrl }: Session, path: string): string {
  if (consoleUrl !== undefined) return new URL(path, consoleUrl).href;
  throw new CliError('no_console', 'The address of the console is not known: set CONSOLE_BASE_URL to where it is opened.');
}

/** The data set of this name, which is made where there is none. */
async function datasetFor(session: Session, account: Account, name: TuningName): Promise<DatasetId> {
  try {
    return (await session.call(FindDataset, { account: account.id, dataset: name })).dataset.id;
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'dataset_not_found') throw error;
    return (await session.call(CreateDataset, { account: account.id, name })).dataset;
  }
}
type TuningName = z.output<typeof TuningName>;

/** A name for the data set of a file: `My data.v2.jsonl.gz` gives `my-data.v2`. @param otherwise where none is left of it */
export function nameOfFile(path: string, otherwise = 'data'): string {
  const stem = basename(path)
    .toLowerCase()
    .replace(/\.gz$/, '')
    .replace(/\.(jsonl?|ndjson|csv|txt)$/, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63);
  return stem === '' ? otherwise : stem;
}

/**
 * Waits until a version is ready.
 * @throws CliError `dataset_invalid` with the service's reason
 */
export async function untilReady(session: Session, account: Account, dataset: DatasetId, number: number): Promise<VersionView> {
  for (;;) {
    const { version } = await session.call(FindVersion, { account: account.id, dataset, version: number });
    if (version.state === 'ready' || version.state === 'invalid') session.terminal.clearStatus();
    if (version.state === 'ready') return version;
    if (version.state === 'invalid')
      throw new CliError('dataset_invalid', version.detail ?? 'The file cannot be used.', {
        version: number,
        reason: version.reason ?? '',
      });
    session.terminal.status(`${version.state}: ${Math.round((version.progress ?? 0) * 100)} %, ${version.examples} examples`);
    await delay(ASK_EACH_MS);
  }
}

interface Pushed {
  readonly account: Account;
  readonly dataset: DatasetId;
  readonly name: TuningName;
  readonly version: number;
}

/** Checks a file, sends it, and waits for its version to be made. The version may still be in the making. */
export async function pushFile(session: Session, path: string, name: TuningName, reading: FileReading): Promise<Pushed> {
  const { terminal } = session;
  const account = await findAccount(session);
  const bytes = await sizeOf(path);
  await checkFile(path, reading, terminal);
  const dataset = await datasetFor(session, account, name);
  const sha256 = await sha256Of(path);
  const opened = await session.call(OpenUpload, {
    ...{ account: account.id, dataset, bytes, sha256, file_name: basename(path).slice(0, 255) },
    ...(reading.format !== undefined && { format: reading.format }),
    ...(reading.repairs !== undefined && { repairs: [...reading.repairs] }),
    idempotency_key: `cli:${dataset}:${sha256}`,
  });
  await sendFile(consoleAddress(session, opened.path), path, (received) =>
    terminal.status(`sending: ${sizeText(received)} of ${sizeText(bytes)}`),
  );
  terminal.clearStatus();
  for (;;) {
    const { upload } = await session.call(FindUpload, { account: account.id, upload: opened.upload });
    if (upload.version !== null) return { account, dataset, name, version: upload.version };
    if (upload.state !== 'open' && upload.state !== 'complete') throw new CliError('upload_failed', `The upload is ${upload.state}.`);
    await delay(ASK_EACH_MS);
  }
}

const pushedText = (name: string, { number, examples, rejected, duplicates }: VersionView): string =>
  `${name}@${number} is ready: ${examples} examples${rejected > 0 ? `, ${rejected} left out` : ''}${duplicates > 0 ? `, ${duplicates} repeated` : ''}.`;

const name = new Option('--name <NAME>', 'name of the data set (default: made from the file’s)').argParser(checkedBy(TuningName));

const push = command('push', 'Sends a training file as a new version of a data set, which is made where there is none.')
  .argument('<FILE>', 'the file; .gz is read too')
  .option('--wait', 'waits until the version is ready, and fails with the reason if it is not')
  .takes(name, ...READING_OPTIONS, ACCOUNT)
  .examples('datasets push support.jsonl --wait', 'datasets push faq.csv --name faq --repair leave_out_rejected')
  .plans(({ options, cwd }: Call<ReadingValues & { name?: TuningName; wait?: true }>, file: string) => async (session) => {
    const path = resolve(cwd, file);
    const { account, dataset, name: made, version } = await pushFile(session, path, options.name ?? nameOfFile(path), readingOf(options));
    const json = { account: account.slug, dataset: made, version };
    if (!options.wait) return { json, text: `${made}@${version} is being checked.` };
    const ready = await untilReady(session, account, dataset, version);
    return { json: { ...json, ...ready }, text: pushedText(made, ready) };
  });

const sample = command('sample', 'Makes a data set of 30 conversations that teach a release codename.')
  .takes(name, ACCOUNT)
  .plans(({ options }: Call<{ name?: TuningName }>) => async (session) => {
    const account = await findAccount(session);
    const made = options.name ?? 'sample';
    const dataset = await datasetFor(session, account, made);
    const { version } = await session.call(AddSample, { account: account.id, dataset });
    const ready = await untilReady(session, account, dataset, version);
    return { json: { account: account.slug, dataset: made, ...ready }, text: pushedText(made, ready) };
  });

async function allDatasets(session: Session, account: Account): Promise<DatasetView[]> {
  const datasets: DatasetView[] = [];
  let after: TuningName | undefined;
  for (;;) {
    const page = await session.call(ListDatasets, { account: account.id, ...(after !== undefined && { after }) });
    datasets.push(...page.datasets);
    if (page.next === null) return datasets;
    after = page.next;
  }
}

const listRow = ({ name: called, kind, versions, head, jobs, changed_at: changed }: DatasetView): Cell[] => [
  ...[called, kind, versions, head?.examples ?? null, head === null ? 'empty' : head.state, jobs, changed],
];

const list = command('list', 'Lists the data sets of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const datasets = await allDatasets(session, account);
    const titles = ['NAME', 'KIND', 'VERSIONS', 'EXAMPLES', 'STATE', 'JOBS', 'CHANGED'];
    return {
      json: { account: account.slug, datasets },
      text: tableOr(`No data sets in account ${account.slug}.`, titles, datasets.map(listRow)),
    };
  });

const versionRow = ({ number, state, reason, origin, examples, rejected, bytes, created_at: made }: VersionView): Cell[] => [
  ...[number, reason === null ? state : `${state} (${reason})`, origin, examples, rejected, sizeText(bytes), made],
];

const show = command('show', 'Shows a data set with its versions.')
  .addArgument(DATASET)
  .takes(ACCOUNT)
  .plans((_, reference: DatasetReference) => async (session) => {
    const { account, found } = await findDataset(session, reference);
    const { dataset, versions, used_by: uses } = found;
    const facts = fields([
      ['Data set', dataset.name],
      ['Kind', dataset.kind],
      ['Agents read', dataset.agent_access],
      ['Used by', uses.map(({ kind, id, version }) => `${kind} ${id} (version ${version})`).join(', ')],
      ['Created', dataset.created_at],
    ]);
    const titles = ['VERSION', 'STATE', 'ORIGIN', 'EXAMPLES', 'REJECTED', 'SIZE', 'CREATED'];
    return { json: { account: account.slug, ...found }, text: `${facts}\n\n${tableOr('No versions.', titles, versions.map(versionRow))}` };
  });

const problems = command('problems', 'Shows what is wrong with a version, by line of the file.')
  .addArgument(DATASET)
  .option('--rule <RULE>', 'only this rule')
  .takes(ACCOUNT)
  .plans(({ options: { rule } }: Call<{ rule?: string }>, reference: DatasetReference) => async (session) => {
    const one = await findDataset(session, reference);
    const version = versionOf(reference, one, 'newest');
    const target = { account: one.account.id, dataset: one.found.dataset.id, version, limit: 200, ...(rule !== undefined && { rule }) };
    const reply = await session.call(ReadIssues, target);
    const rows = reply.issues.map(({ line, rule: broken, severity, message }) => [line, severity, broken, message]);
    return {
      json: { dataset: reference.name, version, ...reply },
      text: tableOr('No problems.', ['LINE', 'SEVERITY', 'RULE', 'PROBLEM'], rows),
      note: reply.next === null ? undefined : 'There are more: --rule shows those of one rule.',
    };
  });

const WHAT = ['canonical', 'original', 'rejected'] as const;

const pull = command('pull', 'Writes a version into a file.')
  .addArgument(DATASET)
  .option('--out <FILE>', 'the file (default: named for the version)')
  .takes(new Option('--what <WHAT>', 'which file of it').choices(WHAT).default('canonical'), ACCOUNT)
  .plans(({ options, cwd }: Call<{ out?: string; what: (typeof WHAT)[number] }>, reference: DatasetReference) => async (session) => {
    const one = await findDataset(session, reference);
    const version = versionOf(reference, one, 'newest');
    const target = { account: one.account.id, dataset: one.found.dataset.id, version, what: options.what };
    const { path, name: called } = await session.call(DownloadDataset, target);
    const out = resolve(cwd, options.out ?? called);
    await download(consoleAddress(session, path), out);
    return { json: { dataset: reference.name, version, file: out }, text: `Wrote ${reference.name}@${version} to ${out}.` };
  });

/** Writes what an address answers into a new file. @throws CliError */
export async function download(url: string, out: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new CliError('download_failed', `The console answered ${response.status}.`);
  const file = createWriteStream(out, { flags: 'wx' });
  await pipeline(Readable.fromWeb(response.body), file).catch((cause: unknown) => {
    throw new CliError(
      'not_written',
      `${out} was not written: ${(cause as NodeJS.ErrnoException).code ?? 'the connection broke off'}.`,
      {},
      { cause },
    );
  });
}

const diff = command('diff', 'Compares two versions of a data set by their examples.')
  .addArgument(DATASET)
  .argument('<VERSION>', 'the older version', whole(CompareVersions.request.shape.from))
  .takes(ACCOUNT)
  .plans((_, reference: DatasetReference, from: number) => async (session) => {
    const one = await findDataset(session, reference);
    const to = versionOf(reference, one, 'ready');
    const reply = await session.call(CompareVersions, { account: one.account.id, dataset: one.found.dataset.id, from, to });
    const { added, removed, changed, same } = reply;
    return {
      json: { dataset: reference.name, from, to, ...reply },
      text: `${reference.name}: from version ${from} to ${to} ${added} added, ${removed} removed, ${changed} with another answer, ${same} the same.`,
    };
  });

const remove = command('rm', 'Deletes a data set with all versions for good. Adapters made from it stay.')
  .addArgument(DATASET)
  .takes(YES, ACCOUNT)
  .plans((call: Call<{ yes?: true }>, reference: DatasetReference) => {
    const confirmed = confirmation(call);
    return async (session) => {
      const { account, found } = await findDataset(session, reference);
      const { name: called, versions } = found.dataset;
      await confirmed(`${called} with ${versions} versions`, called);
      await session.call(DeleteDataset, { account: account.id, dataset: found.dataset.id });
      return { json: { dataset: called }, text: `Deleted ${called}.` };
    };
  });

/** `npx slipway datasets …`. */
export const datasets = group('datasets', 'Sends, shows, compares and deletes data sets for fine-tuning.', [
  ...[push, sample, list, show, problems, pull, diff, remove],
]);
