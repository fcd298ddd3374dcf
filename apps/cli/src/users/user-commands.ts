import {
  ChangeRole,
  CreateInvitation,
  CreateSetupLink,
  EndSessions,
  ListInvitations,
  MemberRole,
  RemoveMember,
  ResetPassword,
  RevokeInvitation,
  type UserId,
} from '@slipway/contracts';
import { Option } from 'commander';
import { findAccount } from '../accounts/find-account.js';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Action, type Answer, type Call, command, group } from '../command.js';
import { type Account, OPERATOR, type Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { checkedBy } from '../values.js';
import { allMembers, EMAIL, findMember } from './find-member.js';
import { deletePerson, resume, sessionsText, suspend } from './person-commands.js';

const CONSOLE = new Option('--console <URL>', 'where the console is opened (default: CONSOLE_BASE_URL, or that of npm start)');
const DEFAULT_CONSOLE = 'http://127.0.0.1:8081';
const ONCE = 'Opens once, within seven days; it cannot be shown again.';

const memberRole = checkedBy(MemberRole, () => 'It takes owner, member or viewer.');

interface ConsoleOption {
  readonly console?: string;
}

/** Address of the console in a link: the one that is named, else that of `npm start`. */
function consoleUrl(call: Call<ConsoleOption>, session: Pick<Session, 'consoleUrl'>): string {
  const url = call.options.console ?? call.variable('CONSOLE_BASE_URL') ?? session.consoleUrl ?? DEFAULT_CONSOLE;
  return url.replace(/\/+$/, '');
}

interface Link {
  readonly id: number;
  readonly token: string;
  readonly expires_at: string;
}

/** Shows a link, on a line of its own so that it is copied easily. */
function shownLink(title: string, base: string, { id, token, expires_at }: Link): Answer {
  const link = `${base}/join#${token}`;
  return { json: { id, link, expires_at }, text: `${title}\n\n  ${link}\n`, note: ONCE };
}

const invite = command('invite', 'Makes a link by which a person joins an account, and shows it this once.')
  .addArgument(EMAIL)
  .option('--role <ROLE>', 'owner, member or viewer (default: member)', memberRole)
  .takes(CONSOLE, ACCOUNT)
  .examples('users invite ada@example.com --role viewer')
  .plans((call: Call<ConsoleOption & { role?: MemberRole }>, email: string) => async (session) => {
    const account = await findAccount(session);
    const { role = 'member' } = call.options;
    const link = await session.call(CreateInvitation, { account: account.id, email, role, actor: OPERATOR });
    return shownLink(`Link for ${email}, who becomes ${role} of account ${account.slug}:`, consoleUrl(call, session), link);
  });

const setUp = command('set-up', 'Makes the link by which the first owner of an account joins; it voids the one before.')
  .takes(CONSOLE, ACCOUNT)
  .plans((call: Call<ConsoleOption>) => async (session) => {
    const account = await findAccount(session);
    const link = await session.call(CreateSetupLink, { account: account.id, actor: OPERATOR });
    return shownLink(`Link for the first owner of account ${account.slug}:`, consoleUrl(call, session), link);
  });

const list = command('list', 'Lists the members of an account, oldest first.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const members = await allMembers(session, account);
    const rows = members.map(({ user, email, name, role, state, last_sign_in_at: last }) => [
      ...[user, email, name, role, state, last ?? 'never'],
    ]);
    const titles = ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATE', 'LAST SIGN-IN'];
    return { json: { account: account.slug, members }, text: tableOr(`No members in account ${account.slug}.`, titles, rows) };
  });

const invitations = command('invitations', 'Lists the open invitations of an account, without their links.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const reply = await session.call(ListInvitations, { account: account.id, actor: OPERATOR });
    const rows = reply.invitations.map(({ id, email, role, expires_at }) => [id, email ?? 'first owner', role, expires_at]);
    return { json: { account: account.slug, ...reply }, text: tableOr('No open invitations.', ['ID', 'EMAIL', 'ROLE', 'EXPIRES'], rows) };
  });

const uninvite = command('uninvite', 'Voids the link of a person who was invited.')
  .addArgument(EMAIL)
  .takes(ACCOUNT)
  .plans((_, email: string) => async (session) => {
    const account = await findAccount(session);
    const open = await session.call(ListInvitations, { account: account.id, actor: OPERATOR });
    const found = open.invitations.find((invitation) => invitation.email === email);
    if (!found) throw new CliError('invitation_not_found', `Account ${account.slug} has no open invitation for ${email}.`);
    const reply = await session.call(RevokeInvitation, { account: account.id, invitation: found.id, actor: OPERATOR });
    return { json: reply, text: `The link of ${email} is void.` };
  });

interface Member {
  readonly user: UserId;
  readonly email: string;
  readonly account: Account;
}

/** What a command does to the member with an address. */
const onMember =
  (email: string, act: (session: Session, member: Member) => Promise<Answer>): Action =>
  async (session) => {
    const account = await findAccount(session);
    const { user } = await findMember(session, account, email);
    return act(session, { user, email, account });
  };

const role = command('role', 'Gives a member another role, at once.')
  .addArgument(EMAIL)
  .argument('<ROLE>', 'owner, member or viewer', memberRole)
  .takes(ACCOUNT)
  .plans((_, address: string, wanted: MemberRole) =>
    onMember(address, async (session, { user, email, account }) => {
      const reply = await session.call(ChangeRole, { account: account.id, user, role: wanted, actor: OPERATOR });
      return { json: { ...reply, email }, text: `${email} is ${wanted} of account ${account.slug}.` };
    }),
  );

const remove = command('remove', 'Removes a member from an account and ends their sessions in it.')
  .addArgument(EMAIL)
  .takes(ACCOUNT)
  .plans((_, address: string) =>
    onMember(address, async (session, { user, email, account }) => {
      const reply = await session.call(RemoveMember, { account: account.id, user, actor: OPERATOR });
      return { json: { ...reply, email }, text: `${email} is no longer a member of account ${account.slug}.` };
    }),
  );

const signOut = command('sign-out', 'Ends all sessions of a member, in all their accounts.')
  .addArgument(EMAIL)
  .takes(ACCOUNT)
  .plans((_, address: string) =>
    onMember(address, async (session, { user, email }) => {
      const reply = await session.call(EndSessions, { user, actor: OPERATOR });
      return { json: { user, email, ...reply }, text: `Ended ${sessionsText(reply.ended)} of ${email}.` };
    }),
  );

const resetPassword = command(
  'reset-password',
  'Gives a member who forgot their password a random one, shows it this once, and ends all their sessions.',
)
  .addArgument(EMAIL)
  .takes(ACCOUNT)
  .plans((_, address: string) =>
    onMember(address, async (session, { user, email }) => {
      const reply = await session.call(ResetPassword, { user, actor: OPERATOR });
      const text = `Password of ${email}, until they change it:\n\n  ${reply.password}\n`;
      return { json: { user, email, ...reply }, text, note: 'It cannot be shown again.' };
    }),
  );

export const users = group('users', 'Invites, lists, removes, suspends and deletes people, and changes their roles.', [
  ...[setUp, invite, invitations, uninvite, list, role, remove, signOut, resetPassword, suspend, resume, deletePerson],
]);
