import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AdapterId,
  type AdapterView,
  AliasName,
  CreateDeployment,
  DeleteAdapter,
  deploymentSlug,
  ExportAdapter,
  FindAdapter,
  FindAdapterImport,
  ImportAdapter,
  ListAdapters,
  PointAlias,
  TuningName,
  UpdateDeployment,
  type UploadId,
} from '@slipway/contracts';
import { Option } from 'commander';
import { findAccount } from '../accounts/find-account.js';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Call, command, confirmation, group, YES } from '../command.js';
import { credentialOf, type SourceValues, sourceOf, UPSTREAM_OPTIONS } from '../deployments/deployment-source.js';
import { type DeploymentReference, findDeployment, deploymentReference } from '../deployments/deployment-name.js';
import { sizeText } from '../deployments/show-commands.js';
import { untilReady, WAIT_OPTIONS, waitFor, waitOf, type WaitValues } from '../deployments/wait-for-deployment.js';
import { type Cell, fields, table, tableOr } from '../table.js';
import { checkedBy } from '../values.js';
import type { Account, Session } from '../session/session.js';
import { consoleAddress, download, nameOfFile } from './dataset-commands.js';
import { sendFile, sha256Of, sizeOf } from './send-file.js';
import { evaluateAdapter } from './evaluation-commands.js';
import { ADAPTER, type DatasetReference, findAdapter } from './tuning-names.js';

const ASK_EACH_MS = 300;

const textOf = ({ name, version }: Pick<AdapterView, 'name' | 'version'>): string => `${name}@${version}`;
const yesOrNo = (passed: boolean): string => (passed ? 'yes' : 'no');
const passedText = ({ verdict }: AdapterView): string | null => verdict && yesOrNo(verdict.passed);
const RESULTS: ReadonlyMap<boolean | null, string> = new Map([
  [null, 'not made'],
  [true, 'passed'],
  [false, 'failed'],
]);
const served = ({ deployments }: AdapterView): string => deployments.map(deploymentSlug).join(' ');

const listRow = (adapter: AdapterView): Cell[] => [
  ...[textOf(adapter), adapter.base, adapter.job, passedText(adapter), sizeText(adapter.bytes), served(adapter), adapter.created_at],
];

const list = command('list', 'Lists the newest adapters of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { adapters: found, next } = await session.call(ListAdapters, { account: account.id });
    const titles = ['ADAPTER', 'BASE', 'JOB', 'PASSED', 'SIZE', 'DEPLOYMENTS', 'CREATED'];
    return {
      json: { account: account.slug, adapters: found },
      text: tableOr(`No adapters in account ${account.slug}.`, titles, found.map(listRow)),
      note: next === null ? undefined : 'There are older ones, which the console shows.',
    };
  });

const BASE_TEXTS: Readonly<Record<string, string>> = {
  changed: ' (training workers have another file of this name)',
  absent: ' (no training worker has it)',
};

const show = command('show', 'Shows an adapter: where it came from, and the verdict of its gate.')
  .addArgument(ADAPTER)
  .takes(ACCOUNT)
  .plans((_, reference: DatasetReference) => async (session) => {
    const { account, adapter } = await findAdapter(session, reference);
    const facts = fields([
      ['Adapter', textOf(adapter)],
      ['Base', `${adapter.base}${BASE_TEXTS[adapter.base_state ?? ''] ?? ''}`],
      ['Job', adapter.job],
      ['Data set', adapter.dataset_name === null ? null : `${adapter.dataset_name}@${adapter.dataset_version}`],
      ['Rank', adapter.rank],
      ['Size', sizeText(adapter.bytes)],
      ['Passed', passedText(adapter)],
      ['Deployments', served(adapter)],
      ['Created', adapter.created_at],
    ]);
    const checks = adapter.verdict?.checks ?? [];
    const rows = checks.map(({ check, passed, detail }) => [check, RESULTS.get(passed) ?? '', detail]);
    return {
      json: { account: account.slug, ...adapter },
      text: rows.length === 0 ? facts : `${facts}\n\n${table(['CHECK', 'RESULT', 'WHY'], rows)}`,
    };
  });

interface ServeValues extends WaitValues, Pick<SourceValues, 'upstream' | 'upstreamModel' | 'upstreamKeyEnv'> {
  readonly alias?: string;
  readonly revisionOf?: DeploymentReference;
  readonly override?: string;
}

const serve = command('serve', 'Deploys an adapter, or makes it the next revision of a deployment.')
  .addArgument(ADAPTER)
  .addOption(new Option('--alias <ALIAS>', 'points this alias at the deployment').argParser(checkedBy(AliasName)))
  .addOption(new Option('--revision-of <DEPLOYMENT>', 'makes a revision of this deployment').argParser(deploymentReference))
  .option('--override <REASON>', 'serves it although it did not pass its gate; kept in the audit log')
  .takes(...UPSTREAM_OPTIONS, ...WAIT_OPTIONS, ACCOUNT)
  .examples(
    'adapters serve support --alias support --wait',
    'adapters serve support --upstream http://gpu-1:8000 --upstream-model org/base',
  )
  .plans((call: Call<ServeValues>, reference: DatasetReference) => {
    const { options } = call;
    const withinMs = waitOf(options);
    const [source, credential] = [sourceOf(call), credentialOf(call)];
    const engine = { ...(source && { source }), ...(credential !== undefined && { credential }) };
    return async (session) => {
      const { account, adapter } = await findAdapter(session, reference);
      const wanted = { id: adapter.id, ...(options.override !== undefined && { override: options.override }) };
      const old = options.revisionOf === undefined ? null : await findDeployment(session, options.revisionOf);
      const id =
        old === null
          ? (await session.call(CreateDeployment, { account: account.id, name: textOf(adapter), adapter: wanted, ...engine })).id
          : (await session.call(UpdateDeployment, { account: account.id, deployment: old.view.id, adapter: wanted, ...engine })).deployment;
      if (options.alias !== undefined) {
        const { alias, override } = options;
        await session.call(PointAlias, { account: account.id, alias, deployment: id, ...(override !== undefined && { override }) });
      }
      const address = options.alias === undefined ? deploymentSlug(id) : `${account.slug}/${options.alias}`;
      const json = { account: account.slug, adapter: textOf(adapter), slug: deploymentSlug(id) };
      if (withinMs === null) return { json, text: `${address} loads ${textOf(adapter)}.` };
      const target = { account, id, ...(old !== null && { before: old.view }) };
      const ready = await waitFor(session, target, untilReady, withinMs);
      return { json: { ...json, state: ready.state }, text: `${address} serves ${textOf(adapter)}.` };
    };
  });

const FORMS = ['peft', 'gguf'] as const;

const exportCommand = command('export', 'Writes an adapter into a tar file, with a card that names its base and data set.')
  .addArgument(ADAPTER)
  .takes(new Option('--form <FORM>', 'safetensors for PEFT and vLLM, or GGUF for llama.cpp').choices(FORMS).default('gguf'))
  .option('--out <FILE>', 'the file (default: named for the adapter)')
  .takes(ACCOUNT)
  .plans(({ options, cwd }: Call<{ form: (typeof FORMS)[number]; out?: string }>, reference: DatasetReference) => async (session) => {
    const { account, adapter } = await findAdapter(session, reference);
    const { path, name } = await session.call(ExportAdapter, { account: account.id, adapter: adapter.id, form: options.form });
    const out = resolve(cwd, options.out ?? name);
    await download(consoleAddress(session, path), out);
    return { json: { adapter: textOf(adapter), file: out }, text: `Wrote ${textOf(adapter)} to ${out}.` };
  });

const remove = command('rm', 'Deletes an adapter that no deployment serves, for good.')
  .addArgument(ADAPTER)
  .takes(YES, ACCOUNT)
  .plans((call: Call<{ yes?: true }>, reference: DatasetReference) => {
    const confirmed = confirmation(call);
    return async (session) => {
      const { account, adapter } = await findAdapter(session, reference);
      const called = textOf(adapter);
      await confirmed(called, called);
      await session.call(DeleteAdapter, { account: account.id, adapter: adapter.id });
      return { json: { adapter: called }, text: `Deleted ${called}.` };
    };
  });

interface ImportValues {
  readonly name?: string;
  readonly base?: string;
  readonly prompt?: string[];
  readonly wait?: true;
}

/** Waits until an adapter was checked. @throws CliError `import_failed` with the reason */
async function untilImported(session: Session, account: Account, upload: UploadId): Promise<AdapterId> {
  for (;;) {
    const { import: seen } = await session.call(FindAdapterImport, { account: account.id, upload });
    const { state, reason, detail, adapter } = seen;
    const isOver = adapter !== null || state === 'failed' || state === 'cancelled';
    if (isOver) session.terminal.clearStatus();
    else session.terminal.status(`${state}${detail === null ? '' : `: ${detail}`}`);
    if (adapter !== null) return adapter;
    if (isOver) throw new CliError('import_failed', `The adapter was not imported: ${detail ?? state}`, { reason: reason ?? state });
    await delay(ASK_EACH_MS);
  }
}

const importCommand = command('import', 'Imports an adapter: a GGUF, a tar archive of PEFT’s two files, or what export wrote.')
  .argument('<FILE>', 'the file')
  .addOption(new Option('--name <NAME>', 'name of the adapter (default: made from the file’s)').argParser(checkedBy(TuningName)))
  .option('--base <BASE>', 'its base, one of npx slipway jobs bases (default: the one on the card in the file)')
  .addOption(
    new Option(
      '--prompt <TEXT>',
      'a prompt that it was trained for, where ordinary questions do not show what it does; repeatable',
    ).argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]),
  )
  .option('--wait', 'waits until it was checked, and fails with the reason if it is refused')
  .takes(ACCOUNT)
  .examples('adapters import support-v2-peft.tar --wait', 'adapters import lora.gguf --name support --base slipway-demo-q8_0 --wait')
  .plans(({ options, cwd }: Call<ImportValues>, file: string) => async (session) => {
    const path = resolve(cwd, file);
    const bytes = await sizeOf(path);
    const account = await findAccount(session);
    const name = TuningName.parse(options.name ?? adapterNameOf(path));
    const opened = await session.call(ImportAdapter, {
      ...{ account: account.id, name, bytes, sha256: await sha256Of(path), file_name: basename(path).slice(0, 255) },
      ...(options.base !== undefined && { base: options.base }),
      ...(options.prompt !== undefined && { prompts: options.prompt }),
    });
    await sendFile(consoleAddress(session, opened.path), path, (received) =>
      session.terminal.status(`sending: ${sizeText(received)} of ${sizeText(bytes)}`),
    );
    session.terminal.clearStatus();
    const json = { account: account.slug, name, upload: opened.upload };
    if (!options.wait) return { json, text: `${name} is being checked.` };
    const id = await untilImported(session, account, opened.upload);
    const { adapter } = await session.call(FindAdapter, { account: account.id, adapter: id });
    return { json: { ...json, adapter }, text: `Imported ${textOf(adapter)}, an adapter of ${adapter.base}.` };
  });

/** A name for the adapter of a file: `support-v2-peft.tar` gives `support`. */
export const adapterNameOf = (path: string): string =>
  nameOfFile(path.replace(/\.(?:tar|gguf|safetensors)$/i, '').replace(/-v\d+-(?:peft|gguf)$/, ''), 'adapter');

/** `npx slipway adapters …`. */
export const adapters = group('adapters', 'Shows, serves, exports, imports and deletes adapters.', [
  ...[list, show, serve, evaluateAdapter, exportCommand, importCommand, remove],
]);
