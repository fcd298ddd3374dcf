import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteAccount,
  DeleteDeployment,
  type DeploymentView,
  FindAccountQuotas,
  FindDeploymentQuotas,
  isServiceError,
  SetAccountState,
  SetDeploymentQuotas,
  StopDeployment,
} from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { CliError } from '../cli-errors.js';
import type { Command } from '../command.js';
import { obeyed } from '../keys/shown-key.js';
import { OPERATOR } from '../session/operator.js';
import type { Account, Session } from '../session/session.js';
import { accountSlug, findAccountOnce } from './find-account.js';

const LOOK_EACH_MS = 300;
/** How long its deployments may take to stop, in milliseconds. */
const STOPPED_WITHIN_MS = 600_000;

/** One of the things that are counted. */
const ONE = {
  deployments: 'deployment',
  aliases: 'alias',
  keys: 'key',
  members: 'member',
  invitations: 'invitation',
  sessions: 'session',
} as const;
type Counts = Partial<Record<keyof typeof ONE, number>>;

const counted = (counts: Counts): string =>
  Object.entries(counts)
    .map(([things, count]) => `${count} ${count === 1 ? ONE[things as keyof Counts] : things}`)
    .join(', ');

/** Says what would be lost, and that nothing was. */
async function unconfirmed(session: Session, { id: account, slug }: Account): Promise<CliError> {
  const [keys, deployments] = await Promise.all([
    session.call(FindAccountQuotas, { account }),
    session.call(FindDeploymentQuotas, { account }),
  ]);
  const counts = {
    deployments: deployments.used.deployments,
    aliases: deployments.used.aliases,
    keys: keys.used.keys,
    members: keys.used.members,
    invitations: keys.used.invitations,
  };
  const text = `This would delete account ${slug} for good, with ${counted(counts)}, and nobody gets its name again. --yes does it.`;
  return new CliError('not_confirmed', text, counts);
}

/** Takes a deployment one step further to its end. True when it is gone. */
async function furtherDown(
  session: Session,
  { id: account }: Account,
  { id: deployment, state, desired }: DeploymentView,
): Promise<boolean> {
  try {
    if (state === 'stopped' || state === 'failed') await session.call(DeleteDeployment, { account, deployment });
    else if (desired !== 'stopped') await session.call(StopDeployment, { account, deployment });
    return state === 'stopped' || state === 'failed';
  } catch (error) {
    // Somebody else deleted it, or it was resumed at this moment: the next look tells.
    if (isServiceError(error) && (error.code === 'deployment_not_found' || error.code === 'deployment_not_stopped')) return false;
    throw error;
  }
}

/** Stops and deletes every deployment of an account, in which none can be made any more. Returns how many. */
async function deleteDeployments(session: Session, account: Account): Promise<number> {
  const since = Date.now();
  for (let gone = 0; ; await delay(LOOK_EACH_MS)) {
    const { deployments } = await allDeployments(session, account.id);
    if (deployments.length === 0) {
      session.terminal.clearStatus();
      return gone;
    }
    session.terminal.status(`${account.slug}: ${counted({ deployments: deployments.length })} left`);
    for (const view of deployments) if (await furtherDown(session, account, view)) gone += 1;
    if (Date.now() - since > STOPPED_WITHIN_MS) {
      throw new CliError('timeout', `Deployments of ${account.slug} do not stop: nothing of it opens any more; run the command again.`);
    }
  }
}

/** Nothing of the account opens any more, and nothing can be made in it; then its deployments go. */
async function emptied(session: Session, account: Account): Promise<number> {
  await session.call(SetAccountState, { account: account.id, state: 'suspended' });
  const quotas = { deployments: 0, replicas: 0, aliases: 0 };
  await session.call(SetDeploymentQuotas, { account: account.id, quotas, actor: OPERATOR });
  return deleteDeployments(session, account);
}

export const deleteAccount: Command = {
  name: 'delete',
  summary: 'Deletes an account for good: deployments, keys, memberships, invitations and the sessions in it.',
  remark:
    'Usage and the audit log stay, and its name is never given again. A run that was interrupted is completed by running it again; until then the account is suspended.',
  words: [{ name: 'SLUG', about: 'the account' }],
  options: { yes: { short: 'y', about: 'does it; without, the command says what would be deleted' } },
  plan(call) {
    const slug = accountSlug(call.word('SLUG'));
    const sure = call.options.flag('yes');
    return async (session) => {
      const account = await findAccountOnce(session, slug);
      const isLeft = account.deleted_at === undefined;
      if (isLeft && !sure) throw await unconfirmed(session, account);
      const deployments = isLeft ? await emptied(session, account) : 0;
      const reply = await session.call(DeleteAccount, { slug, actor: OPERATOR });
      const { keys, members, invitations, sessions } = reply;
      const counts = counted({ deployments, keys, members, invitations, sessions });
      return { json: { ...reply, deployments }, text: `Deleted account ${slug}, with ${counts}. ${obeyed(reply)}` };
    };
  },
};
