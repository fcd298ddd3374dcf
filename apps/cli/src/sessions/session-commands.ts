import { RotateSessionKey } from '@slipway/contracts';
import type { Command, Group } from '../command.js';
import { OPERATOR } from '../session/operator.js';

const rotateKey: Command = {
  name: 'rotate-key',
  summary: 'Makes a new key that signs the session tokens of the console.',
  remark: 'Tokens of the old one stay good until they expire, 15 minutes at most.',
  words: [],
  options: { 'revoke-old': { about: 'tokens of older keys are good no more, as after a leak; pages get new ones' } },
  plan:
    ({ options }) =>
    async (session) => {
      const revokesOld = options.flag('revoke-old');
      const { kid } = await session.call(RotateSessionKey, { actor: OPERATOR, ...(revokesOld && { revoke_old: true }) });
      const text = `Session tokens are signed with key ${kid} from now on${revokesOld ? '; those of older keys are void' : ''}.`;
      return { json: { kid, revoked_old: revokesOld }, text };
    },
};

export const sessions: Group = {
  name: 'sessions',
  summary: 'Replaces the key that signs the sessions of the console.',
  commands: [rotateKey],
};
