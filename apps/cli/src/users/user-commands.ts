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
import { findAccount } from '../accounts/find-account.js';
import { CliError } from '../cli-errors.js';
import { ACCOUNT_OPTION, type Action, type Answer, type Call, type Command, type Group } from '../command.js';
import { checked } from '../option-values.js';
import { OPERATOR } from '../session/operator.js';
import type { Account, Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { allMembers, emailAddress, findMember } from './find-member.js';
import { deletePerson, resume, suspend } from './person-commands.js';

const EMAIL = { name: 'EMAIL', about: 'their email address' };
const CONSOLE_OPTION = { console: { value: 'URL', about: 'where the console is opened (CONSOLE_BASE_URL, or that of npm start)' } };
const DEFAULT_CONSOLE = 'http://127.0.0.1:8081';
const ONCE = 'Opens once, within seven days; it cannot be shown again.';

const memberRole = (text: string): MemberRole => checked(MemberRole, text, `"${text}" is no role: owner, member or viewer.`);

/** Address of a link's page: what is named, else where `npm start` opened its console. @throws UsageError */
function consoleUrl(call: Call): (session: Pick<Session, 'consoleUrl'>) => string {
  const named = call.options.text('console') ?? call.variable('CONSOLE_BASE_URL');
  return (session) => (named ?? session.consoleUrl ?? DEFAULT_CONSOLE).replace(/\/+$/, '');
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

const invite: Command = {
  name: 'invite',
  summary: 'Makes a link by which somebody joins an account, and shows it this once.',
  words: [EMAIL],
  options: { role: { value: 'ROLE', about: 'owner, member or viewer (member)' }, ...CONSOLE_OPTION, ...ACCOUNT_OPTION },
  plan(call) {
    const email = emailAddress(call.word('EMAIL'));
    const role = memberRole(call.options.text('role') ?? 'member');
    const base = consoleUrl(call);
    return async (session) => {
      const account = await findAccount(session);
      const link = await session.call(CreateInvitation, { account: account.id, email, role, actor: OPERATOR });
      return shownLink(`Link for ${email}, who becomes ${role} of account ${account.slug}:`, base(session), link);
    };
  },
};

const setUp: Command = {
  name: 'set-up',
  summary: 'Makes the link by which the first owner of an account comes in; it voids the one before.',
  words: [],
  options: { ...CONSOLE_OPTION, ...ACCOUNT_OPTION },
  plan(call) {
    const base = consoleUrl(call);
    return async (session) => {
      const account = await findAccount(session);
      const link = await session.call(CreateSetupLink, { account: account.id, actor: OPERATOR });
      return shownLink(`Link for the first owner of account ${account.slug}:`, base(session), link);
    };
  },
};

const list: Command = {
  name: 'list',
  summary: 'Lists the members of an account, oldest first.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
    const account = await findAccount(session);
    const members = await allMembers(session, account);
    const rows = members.map(({ user, email, name, role, state, last_sign_in_at: last }) => [
      user,
      email,
      name,
      role,
      state,
      last ?? 'never',
    ]);
    const text = tableOr(`Nobody belongs to account ${account.slug}.`, ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATE', 'LAST SIGN-IN'], rows);
    return { json: { account: account.slug, members }, text };
  },
};

const invitations: Command = {
  name: 'invitations',
  summary: 'Lists the invitations of an account that wait, without their links.',
  words: [],
  options: ACCOUNT_OPTION,
  plan: () => async (session) => {
    const account = await findAccount(session);
    const reply = await session.call(ListInvitations, { account: account.id, actor: OPERATOR });
    const rows = reply.invitations.map(({ id, email, role, expires_at }) => [id, email ?? 'first owner', role, expires_at]);
    return { json: { account: account.slug, ...reply }, text: tableOr('No invitation waits.', ['ID', 'EMAIL', 'ROLE', 'EXPIRES'], rows) };
  },
};

const uninvite: Command = {
  name: 'uninvite',
  summary: 'Voids the link of somebody who was invited.',
  words: [EMAIL],
  options: ACCOUNT_OPTION,
  plan(call) {
    const email = emailAddress(call.word('EMAIL'));
    return async (session) => {
      const account = await findAccount(session);
      const waiting = await session.call(ListInvitations, { account: account.id, actor: OPERATOR });
      const found = waiting.invitations.find((invitation) => invitation.email === email);
      if (!found) throw new CliError('invitation_not_found', `No invitation of ${email} waits in account ${account.slug}.`);
      const reply = await session.call(RevokeInvitation, { account: account.id, invitation: found.id, actor: OPERATOR });
      return { json: reply, text: `The link of ${email} opens nothing any more.` };
    };
  },
};

interface Member {
  readonly user: UserId;
  readonly email: string;
  readonly account: Account;
}

/** What a command does to the member whose address is its EMAIL. */
function onMember(call: Call, act: (session: Session, member: Member) => Promise<Answer>): Action {
  const email = emailAddress(call.word('EMAIL'));
  return async (session) => {
    const account = await findAccount(session);
    const { user } = await findMember(session, account, email);
    return act(session, { user, email, account });
  };
}

const role: Command = {
  name: 'role',
  summary: 'Gives a member another role, at once.',
  words: [EMAIL, { name: 'ROLE', about: 'owner, member or viewer' }],
  options: ACCOUNT_OPTION,
  plan(call) {
    const wanted = memberRole(call.word('ROLE'));
    return onMember(call, async (session, { user, email, account }) => {
      const reply = await session.call(ChangeRole, { account: account.id, user, role: wanted, actor: OPERATOR });
      return { json: { ...reply, email }, text: `${email} is ${wanted} of account ${account.slug}.` };
    });
  },
};

const remove: Command = {
  name: 'remove',
  summary: 'Takes a member out of an account and ends their sessions in it.',
  words: [EMAIL],
  options: ACCOUNT_OPTION,
  plan(call) {
    return onMember(call, async (session, { user, email, account }) => {
      const reply = await session.call(RemoveMember, { account: account.id, user, actor: OPERATOR });
      return { json: { ...reply, email }, text: `${email} belongs to account ${account.slug} no more.` };
    });
  },
};

const signOut: Command = {
  name: 'sign-out',
  summary: 'Ends all sessions of a member, in all their accounts.',
  words: [EMAIL],
  options: ACCOUNT_OPTION,
  plan(call) {
    return onMember(call, async (session, { user, email }) => {
      const reply = await session.call(EndSessions, { user, actor: OPERATOR });
      return { json: { user, email, ...reply }, text: `Ended ${reply.ended} ${reply.ended === 1 ? 'session' : 'sessions'} of ${email}.` };
    });
  },
};

const resetPassword: Command = {
  name: 'reset-password',
  summary: 'Gives a member who forgot their password a random one, shows it this once, and ends all their sessions.',
  words: [EMAIL],
  options: ACCOUNT_OPTION,
  plan(call) {
    return onMember(call, async (session, { user, email }) => {
      const reply = await session.call(ResetPassword, { user, actor: OPERATOR });
      const text = `Password of ${email}, until they change it:\n\n  ${reply.password}\n`;
      return { json: { user, email, ...reply }, text, note: 'It cannot be shown again.' };
    });
  },
};

export const users: Group = {
  name: 'users',
  summary: 'Invites, lists, removes, suspends and deletes people, and changes their roles.',
  commands: [setUp, invite, invitations, uninvite, list, role, remove, signOut, resetPassword, suspend, resume, deletePerson],
};
