import { FindDeployment, ReadLog, type ReplicaView, type RevisionView, deploymentSlug } from '@slipway/contracts';
import { allDeployments, allModels } from '@slipway/platform';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT_OPTION, type Command, type WordSpec } from '../command.js';
import { fields, printable, table, tableOr } from '../table.js';
import { deploymentReference, findDeployment } from './deployment-name.js';
import { sourceText } from './deployment-source.js';
import { sizeText } from './size-text.js';
import { LIST_TITLES, listRow, stateText, withSlug } from './deployment-text.js';

/** The word that names a deployment. */
export const DEPLOYMENT: WordSpec = { name: 'DEPLOYMENT', about: 'its slug, number or alias: deployment-7, 7, demo, local/demo' };

export const list: Command = {
  name: 'list',
  summary: 'Lists the deployments of an account.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
    const account = await findAccount(session);
    const { deployments } = await allDeployments(session, account.id);
    return {
      json: { account: account.slug, deployments: deployments.map(withSlug) },
      text: tableOr(`No deployments in account ${account.slug}.`, LIST_TITLES, deployments.map(listRow)),
    };
  },
};

const revisionRow = (one: RevisionView): (string | number | null)[] => [
  one.rev,
  one.context,
  one.slots,
  one.threads,
  one.default_max_tokens,
  one.credential ? 'yes' : '',
  one.created_at,
  sourceText(one.source),
];

const replicaRow = (one: ReplicaView): (string | number | null)[] => [one.host, one.agent, one.rev, one.context, stateText(one)];

type Found = z.output<typeof FindDeployment.reply>;

function describe(account: string, { deployment, revisions, running }: Found): string {
  const facts = fields([
    ['Deployment', deploymentSlug(deployment.id)],
    ['Name', deployment.name],
    ['Aliases', deployment.aliases.map((alias) => `${account}/${alias}`).join(' ')],
    ['State', `${stateText(deployment)} since ${deployment.since}`],
    ['Wanted', deployment.desired],
    ['Replicas', `${deployment.ready_replicas} of ${deployment.replicas} answer`],
    ['Revision', revisionText(deployment)],
    ['Context', deployment.context],
    ['Can', deployment.caps.join(' ')],
    ['Created', deployment.created_at],
  ]);
  const history = table(
    ['REV', 'CONTEXT', 'SLOTS', 'THREADS', 'MAX TOKENS', 'CREDENTIAL', 'CREATED', 'SOURCE'],
    revisions.map(revisionRow),
  );
  const now = tableOr('Nothing of it runs on any worker.', ['HOST', 'AGENT', 'REV', 'CONTEXT', 'STATE'], running.map(replicaRow));
  return `${facts}\n\n${history}\n\n${now}`;
}

function revisionText({ rev, serving_rev }: Found['deployment']): string {
  if (serving_rev === undefined || serving_rev === rev) return String(rev);
  return `${rev}, ${serving_rev === null ? 'none serves yet' : `${serving_rev} serves`}`;
}

export const show: Command = {
  name: 'show',
  summary: 'Shows a deployment with its revisions and what runs of it where.',
  words: [DEPLOYMENT],
  options: ACCOUNT_OPTION,
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    return async (session) => {
      const { account, view } = await findDeployment(session, reference);
      const found = await session.call(FindDeployment, { account: account.id, deployment: view.id });
      return { json: { account: account.slug, ...found, deployment: withSlug(found.deployment) }, text: describe(account.slug, found) };
    };
  },
};

export const models: Command = {
  name: 'models',
  summary: 'Lists the models that an account can name: files of the operator, and what its deployments name.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
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
  },
};

export const log: Command = {
  name: 'log',
  summary: 'Prints the newest lines of the engine log of a deployment, oldest first.',
  words: [DEPLOYMENT],
  options: { lines: { value: 'N', about: 'how many at most (200)' }, ...ACCOUNT_OPTION },
  plan(call) {
    const reference = deploymentReference(call.word(DEPLOYMENT.name));
    const lines = call.options.whole('lines', ReadLog.request.shape.lines);
    return async (session) => {
      const { account, view, slug } = await findDeployment(session, reference);
      const reply = await session.call(ReadLog, { account: account.id, deployment: view.id, ...(lines !== undefined && { lines }) });
      const text = reply.lines.map(
        ({ at, host, rev, text: line }) => `${new Date(at).toISOString()} ${host} rev ${rev}  ${printable(line)}`,
      );
      return {
        json: { deployment: slug, ...reply },
        text: text.length === 0 ? 'No lines.' : text.join('\n'),
        note: reply.silent.length === 0 ? undefined : `No answer from ${reply.silent.join(', ')}, whose lines are missing.`,
      };
    };
  },
};
