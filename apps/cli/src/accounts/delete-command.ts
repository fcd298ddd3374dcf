import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteAccount,
  DeleteDeployment,
  type DeploymentView,
  FindAccountQuotas,
  FindDeploymentQuotas,
  isServiceError,
  ListRollouts,
  RollBackRollout,
  SetAccountState,
  SetDeploymentQuotas,
  StopDeployment,
} from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { CliError } from '../cli-errors.js';
import { type Call, command } from '../command.js';
import { propagationText } from '../keys/propagation.js';
import { type Account, OPERATOR, type Session } from '../session/session.js';
import { type AccountSlug, accountSlug, findAccountOnce } from './find-account.js';

const LOOK_EACH_MS = 300;
/** How long its deployments may take to stop, in milliseconds. */
const STOPPED_WITHIN_MS = 600_000;

/** Singular of each counted thing. */
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

/** Error that counts what would be deleted. */
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
  const text = `This would delete account ${slug} for good, with ${counted(counts)}, and its name would never be given again. --yes deletes it.`;
  return new CliError('not_confirmed', text, counts);
}

/** Stops a running deployment, or deletes a stopped one. True when it is deleted. */
async function stopOrDelete(
  session: Session,
  { id: account }: Account,
  { id: deployment, state, desired }: DeploymentView,
): Promise<boolean> {
  try {
    if (state === 'stopped' || state === 'failed') await session.call(DeleteDeployment, { account, deployment });
    else if (desired !== 'stopped') await session.call(StopDeployment, { account, deployment });
    return state === 'stopped' || state === 'failed';
  } catch (error) {
    // Deleted or resumed by another caller meanwhile: the next round sees it.
    if (isServiceError(error) && (error.code === 'deployment_not_found' || error.code === 'deployment_not_stopped')) return false;
    throw error;
  }
}

/** Stops and deletes every deployment of an account whose quota is 0. Returns how many. */
async function deleteDeployments(session: Session, account: Account): Promise<number> {
  const since = Date.now();
  for (let gone = 0; ; await delay(LOOK_EACH_MS)) {
    const { deployments } = await allDeployments(session, account.id);
    if (deployments.length === 0) {
      session.terminal.clearStatus();
      return gone;
    }
    session.terminal.status(`${account.slug}: ${counted({ deployments: deployments.length })} left`);
    for (const view of deployments) if (await stopOrDelete(session, account, view)) gone += 1;
    if (Date.now() - since > STOPPED_WITHIN_MS) {
      throw new CliError('timeout', `Deployments of ${account.slug} do not stop. The account is suspended; run the command again.`);
    }
  }
}

/** Ends rollouts, which keep their stable deployments from being stopped. */
async function endRollouts(session: Session, { id: account }: Account): Promise<void> {
  const { rollouts } = await session.call(ListRollouts, { account });
  for (const { alias, state } of rollouts) {
    if (state === 'running') await session.call(RollBackRollout, { account, alias, reason: 'The account is deleted.', actor: OPERATOR });
  }
}

/** Suspends the account, sets its quotas to 0, ends its rollouts, then deletes its deployments. Returns how many. */
async function emptied(session: Session, account: Account): Promise<number> {
  await session.call(SetAccountState, { account: account.id, state: 'suspended' });
  const quotas = { deployments: 0, replicas: 0, aliases: 0 };
  await session.call(SetDeploymentQuotas, { account: account.id, quotas, actor: OPERATOR });
  await endRollouts(session, account);
  return deleteDeployments(session, account);
}

export const deleteAccount = command(
  'delete',
  'Deletes an account for good: deployments, keys, memberships, invitations and the sessions in it.',
  'Usage and the audit log stay, and the name is never given again. After an interruption, run it again to complete it; until then the account is suspended.',
)
  .argument('<SLUG>', 'the account', accountSlug)
  .option('-y, --yes', 'deletes; without it, the command says what would be deleted')
  .plans(({ options }: Call<{ yes?: true }>, slug: AccountSlug) => async (session) => {
    const account = await findAccountOnce(session, slug);
    const isLeft = account.deleted_at === undefined;
    if (isLeft && !options.yes) throw await unconfirmed(session, account);
    const deployments = isLeft ? await emptied(session, account) : 0;
    const reply = await session.call(DeleteAccount, { slug, actor: OPERATOR });
    const { keys, members, invitations, sessions } = reply;
    const counts = counted({ deployments, keys, members, invitations, sessions });
    return { json: { ...reply, deployments }, text: `Deleted account ${slug}, with ${counts}. ${propagationText(reply)}` };
  });
