import { SetUserState, type UserState } from '@slipway/contracts';
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
