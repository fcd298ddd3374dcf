import { SetKeyDeployments, SetKeyLimits } from '@slipway/contracts';
import { findAccount } from '../accounts/find-account.js';
import { ACCOUNT_OPTION, type Command } from '../command.js';
import { changedLimits, LIMIT_OPTIONS, limitChanges, limitText } from '../limits/limit-options.js';
import { allowedDeployments, allowedText } from './allowed-deployments.js';
import { findKey, keyName } from './find-key.js';
import { obeyed } from './shown-key.js';

const KEY = { name: 'KEY', about: 'its id, its name if only one has it, or its hint (svc_dep_Ab12)' };

export const limits: Command = {
  name: 'limits',
  summary: 'Shows what a key may use at most, or changes it.',
  remark: 'Each option takes a number or none; limits that are not named stay as they are.',
  words: [KEY],
  options: { ...LIMIT_OPTIONS, ...ACCOUNT_OPTION },
  plan(call) {
    const text = keyName(call.word('KEY'));
    const changes = limitChanges(call.options);
    return async (session) => {
      const account = await findAccount(session);
      const key = await findKey(session, account, text);
      const name = `Key ${key.id} (${key.name})`;
      if (Object.keys(changes).length === 0) {
        return { json: { id: key.id, limits: key.limits ?? {} }, text: `${name} has ${limitText(key.limits ?? {})}.` };
      }
      const wanted = changedLimits(key.limits ?? {}, changes);
      const reply = await session.call(SetKeyLimits, { account: account.id, key: key.id, limits: wanted });
      return { json: reply, text: `${name} has ${limitText(reply.limits)}. ${obeyed(reply)}` };
    };
  },
};

export const deployments: Command = {
  name: 'deployments',
  summary: 'Sets which deployments a key may call.',
  words: [KEY, { name: 'DEPLOYMENTS', about: 'slugs, numbers or aliases, with commas between them; or all' }],
  options: ACCOUNT_OPTION,
  plan(call) {
    const text = keyName(call.word('KEY'));
    const find = allowedDeployments(call.word('DEPLOYMENTS'));
    return async (session) => {
      const account = await findAccount(session);
      const key = await findKey(session, account, text);
      const wanted = await find(session, account);
      const reply = await session.call(SetKeyDeployments, { account: account.id, key: key.id, deployments: wanted });
      return { json: reply, text: `Key ${key.id} (${key.name}) may call ${allowedText(reply.deployments)}. ${obeyed(reply)}` };
    };
  },
};
