import {
  type DeploymentView,
  dimensionsIn,
  FindDeployment,
  logLineText,
  ReadLog,
  type ReplicaView,
  type RevisionView,
  deploymentSlug,
  sourceText,
  taskOf,
} from '@slipway/contracts';
import { allDeployments, allModels } from '@slipway/platform';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT, type Call, command } from '../command.js';
import { type Cell, fields, printable, table, tableOr } from '../table.js';
import { whole } from '../values.js';
import { DEPLOYMENT, type DeploymentReference, findDeployment } from './deployment-name.js';
import { stateText, withSlug } from './deployment-text.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in the largest unit that leaves at least 1. */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${UNITS[step] ?? ''}`;
}

const listRow = (view: DeploymentView): Cell[] => [
  deploymentSlug(view.id),
  view.name,
  view.aliases.join(' '),
  `${view.ready_replicas}/${view.replicas}`,
  stateText(view),
];

export const list = command('list', 'Lists the deployments of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { deployments } = await allDeployments(session, account.id);
    const titles = ['DEPLOYMENT', 'NAME', 'ALIASES', 'REPLICAS', 'STATE'];
    return {
      json: { account: account.slug, deployments: deployments.map(withSlug) },
      text: tableOr(`No deployments in account ${account.slug}.`, titles, deployments.map(listRow)),
    };
  });

const adapterText = ({ adapter }: Pick<RevisionView, 'adapter'>): string | null => (adapter ? `${adapter.name}@${adapter.version}` : null);

const revisionRow = (one: RevisionView): Cell[] => [
  one.rev,
  adapterText(one),
  one.context,
  one.slots,
  one.threads,
  one.default_max_tokens,
  one.credential ? 'yes' : '',
  one.created_at,
  sourceText(one.source),
];

const replicaRow = (one: ReplicaView): Cell[] => [one.host, one.agent, one.rev, one.context, stateText(one)];

type Found = z.output<typeof FindDeployment.reply>;

function describe(account: string, { deployment, revisions, running }: Found): string {
  const facts = fields([
    ['Deployment', deploymentSlug(deployment.id)],
    ['Name', deployment.name],
    ['Aliases', deployment.aliases.map((alias) => `${account}/${alias}`).join(' ')],
    ['State', `${stateText(deployment)} since ${deployment.since}`],
    ['Wanted', deployment.desired],
    ['Replicas', replicasText(deployment)],
    ['Revision', revisionText(deployment)],
    ['Adapter', adapterText(deployment)],
    ['Context', deployment.context],
    ['Does', doesText(deployment.caps)],
    ['Can', deployment.caps.join(' ')],
    ['Stores responses', deployment.store_responses === true ? 'for an hour' : 'no'],
    ['Created', deployment.created_at],
  ]);
  const history = table(
    ['REV', 'ADAPTER', 'CONTEXT', 'SLOTS', 'THREADS', 'MAX TOKENS', 'CREDENTIAL', 'CREATED', 'SOURCE'],
    revisions.map(revisionRow),
  );
  const now = tableOr('Nothing of it runs on any worker.', ['HOST', 'AGENT', 'REV', 'CONTEXT', 'STATE'], running.map(replicaRow));
  return `${facts}\n\n${history}\n\n${now}`;
}

/** How many replicas answer, and where its load decides how many there are. */
export function replicasText({ ready_replicas: ready, replicas, replica_range: range }: DeploymentView): string {
  if (!range) return `${ready} of ${replicas} answer`;
  return `${ready} of ${replicas} answer; ${range.min} to ${range.max} by the load, target ${range.target_percent} %`;
}

/** What a deployment does, and the endpoint that calls it. */
export function doesText(caps: readonly string[]): string {
  const dimensions = dimensionsIn(caps);
  if (taskOf(caps) === 'embeddings') return `embeddings${dimensions === null ? '' : ` of ${dimensions} numbers`}: /v1/embeddings`;
  return taskOf(caps) === 'chat' ? 'chat: /v1/chat/completions, /v1/messages, /v1/responses' : '';
}

function revisionText({ rev, serving_rev }: Found['deployment']): string {
  if (serving_rev === undefined || serving_rev === rev) return String(rev);
  return `${rev}, ${serving_rev === null ? 'none serves yet' : `${serving_rev} serves`}`;
}

export const show = command('show', 'Shows a deployment with its revisions and its replicas.')
  .addArgument(DEPLOYMENT)
  .takes(ACCOUNT)
  .plans((_, reference: DeploymentReference) => async (session) => {
    const { account, view } = await findDeployment(session, reference);
    const found = await session.call(FindDeployment, { account: account.id, deployment: view.id });
    return { json: { account: account.slug, ...found, deployment: withSlug(found.deployment) }, text: describe(account.slug, found) };
  });

export const models = command('models', 'Lists the models that an account can name: files of the operator, and those of its deployments.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const reply = await allModels(session, account.id);
    const rows = reply.models.map(({ name, bytes, hosts, deployments, source }) => [
      name,
      bytes === null ? null : sizeText(bytes),
      hosts.join(' '),
      deployments.map(deploymentSlug).join(' '),
      sourceText(source),
    ]);
    return {
      json: { account: account.slug, ...reply },
      text: tableOr('No models.', ['NAME', 'SIZE', 'HOSTS', 'DEPLOYMENTS', 'SOURCE'], rows),
      note: reply.truncated ? 'The folders hold more models than are listed.' : undefined,
    };
  });

export const log = command('log', 'Prints the newest lines of the engine log of a deployment, oldest first.')
  .addArgument(DEPLOYMENT)
  .option('--lines <N>', 'how many at most (default: 200)', whole(ReadLog.request.shape.lines))
  .takes(ACCOUNT)
  .plans(({ options: { lines } }: Call<{ lines?: number }>, reference: DeploymentReference) => async (session) => {
    const { account, view, slug } = await findDeployment(session, reference);
    const reply = await session.call(ReadLog, { account: account.id, deployment: view.id, ...(lines !== undefined && { lines }) });
    const text = reply.lines.map(
      (line) => `${new Date(line.at).toISOString()} ${line.host} rev ${line.rev}  ${printable(logLineText(line))}`,
    );
    return {
      json: { deployment: slug, ...reply },
      text: text.length === 0 ? 'No lines.' : text.join('\n'),
      note: reply.silent.length === 0 ? undefined : `No answer from ${reply.silent.join(', ')}, whose lines are missing.`,
    };
  });
