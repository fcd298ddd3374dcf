import { DeleteUser, SetUserState, type UserState } from '@slipway/contracts';
import { type Call, type CliCommand, command, confirmation, YES } from '../command.js';
import { OPERATOR } from '../session/session.js';
import { EMAIL } from './find-member.js';

/** A number of sessions in words. */
export const sessionsText = (count: number): string => `${count} ${count === 1 ? 'session' : 'sessions'}`;

/** Completes a command that sets the state of a person. `done` says what became of them. */
const setsState = (start: CliCommand, state: UserState, done: (ended: number) => string): CliCommand =>
  start.addArgument(EMAIL).plans((_, email: string) => async (session) => {
    const reply = await session.call(SetUserState, { email, state, actor: OPERATOR });
    return { json: { email, ...reply }, text: `${email} ${done(reply.ended)}.` };
  });

export const suspend = setsState(
  command(
    'suspend',
    'Keeps a person out of all their accounts until they are resumed.',
    'Their sessions end at once and every sign-in is refused; memberships stay, and so do keys, which belong to the accounts.',
  ),
  'suspended',
  (ended) => `is suspended; ended ${sessionsText(ended)}`,
);

export const resume = setsState(
  command(
    'resume',
    'Lets a suspended person sign in again.',
    'They belong to the same accounts as before, with the same roles and password.',
  ),
  'active',
  () => 'may sign in again',
);

export const deletePerson = command(
  'delete',
  'Deletes a person for good, in all accounts: sessions, memberships, name, address and password.',
  'The audit log keeps its entries about them. Keys that they made stay, as they belong to the accounts. Refused while they are the only owner of one.',
)
  .addArgument(EMAIL)
  .takes(YES)
  .plans((call: Call<{ yes?: true }>, email: string) => {
    const confirmed = confirmation(call);
    return async (session) => {
      await confirmed(`${email} from all accounts`, email);
      const reply = await session.call(DeleteUser, { email, actor: OPERATOR });
      return { json: { email, ...reply }, text: `Deleted ${email}; ended ${sessionsText(reply.ended)}.` };
    };
  });
