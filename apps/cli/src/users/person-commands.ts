import { DeleteUser, SetUserState, type UserState } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import type { Command } from '../command.js';
import { OPERATOR } from '../session/operator.js';
import { emailAddress } from './find-member.js';

const EMAIL = { name: 'EMAIL', about: 'their email address' };
const sessionsOf = (count: number): string => `${count} ${count === 1 ? 'session' : 'sessions'}`;

interface StateWords {
  readonly summary: string;
  readonly remark: string;
  /** What is said of the person afterwards. */
  readonly done: (ended: number) => string;
}

const stateCommand = (name: string, state: UserState, { summary, remark, done }: StateWords): Command => ({
  name,
  summary,
  remark,
  words: [EMAIL],
  options: {},
  plan(call) {
    const email = emailAddress(call.word('EMAIL'));
    return async (session) => {
      const reply = await session.call(SetUserState, { email, state, actor: OPERATOR });
      return { json: { email, ...reply }, text: `${email} ${done(reply.ended)}.` };
    };
  },
});

export const suspend = stateCommand('suspend', 'suspended', {
  summary: 'Keeps a person out of all their accounts until they are resumed.',
  remark: 'Their sessions end at once and no sign-in opens anything; memberships stay, and so do keys, which belong to the accounts.',
  done: (ended) => `is suspended; ended ${sessionsOf(ended)}`,
});

export const resume = stateCommand('resume', 'active', {
  summary: 'Lets a suspended person sign in again.',
  remark: 'They belong to the same accounts as before, with the same roles and password.',
  done: () => 'may sign in again',
});

export const deletePerson: Command = {
  name: 'delete',
  summary: 'Deletes a person for good, in all accounts: sessions, memberships, name, address and password.',
  remark:
    'The audit log keeps what it said of them. Keys that they made stay, as they belong to the accounts. Refused while they are the only owner of one.',
  words: [EMAIL],
  options: { yes: { short: 'y', about: 'does not ask' } },
  plan(call) {
    const email = emailAddress(call.word('EMAIL'));
    const sure = call.options.flag('yes');
    if (!sure && !call.terminal.interactive) throw new CliError('not_confirmed', 'Nobody can be asked here: --yes deletes without asking.');
    return async (session) => {
      const typed = sure
        ? email
        : await session.terminal.ask(`This deletes ${email} from all accounts for good. Type the address to go on: `);
      if (typed !== email) throw new CliError('not_confirmed', 'Nobody was deleted.');
      const reply = await session.call(DeleteUser, { email, actor: OPERATOR });
      return { json: { email, ...reply }, text: `Deleted ${email}; ended ${sessionsOf(reply.ended)}.` };
    };
  },
};
