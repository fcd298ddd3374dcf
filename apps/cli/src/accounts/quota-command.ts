import {
  AccountQuotas,
  COUNTED_QUOTAS,
  DeploymentQuotas,
  FindAccountQuotas,
  FindDeploymentQuotas,
  SetAccountQuotas,
  SetDeploymentQuotas,
} from '@slipway/contracts';
import { UsageError } from '../cli-errors.js';
import type { Command } from '../command.js';
import { obeyed } from '../keys/shown-key.js';
import { DEFAULT, wholeNumber } from '../option-values.js';
import { tableOr } from '../table.js';
import { accountSlug, findAccount } from './find-account.js';

type QuotaName = keyof AccountQuotas | keyof DeploymentQuotas;
type Changes = Partial<Record<QuotaName, number | null>>;

const SHAPE = { ...AccountQuotas.shape, ...DeploymentQuotas.shape };
const isQuota = (name: string): name is QuotaName => Object.hasOwn(SHAPE, name);

/** Reads words like `keys=200`. @throws UsageError */
export function quotaChanges(words: readonly string[]): Changes {
  const changes: Changes = {};
  for (const word of words) {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
    if (!isQuota(name)) throw new UsageError(`"${word}" is not NAME=VALUE of a quota; there are ${Object.keys(SHAPE).join(', ')}.`);
    if (Object.hasOwn(changes, name)) throw new UsageError(`${name} is written twice.`);
    changes[name] = text === DEFAULT ? null : wholeNumber(name, text, SHAPE[name]);
  }
  return changes;
}

export const quota: Command = {
  name: 'quota',
  summary: 'Shows how much of each an account may have, or changes it.',
  remark: `Quotas: ${Object.keys(SHAPE).join(', ')}. Those that are not named stay as they are.`,
  words: [{ name: 'ACCOUNT', about: 'its slug' }],
  more: { name: 'NAME=VALUE', about: `such as keys=200 or members=${DEFAULT}` },
  options: {},
  plan(call) {
    const slug = accountSlug(call.word('ACCOUNT'));
    const changes = quotaChanges(call.more);
    return async (session) => {
      const { id: account } = await findAccount(session, slug);
      const ofKeys = pick(changes, AccountQuotas.shape);
      const ofDeployments = pick(changes, DeploymentQuotas.shape);
      const reply = isAny(ofKeys) ? await session.call(SetAccountQuotas, { account, quotas: ofKeys }) : undefined;
      if (isAny(ofDeployments)) await session.call(SetDeploymentQuotas, { account, quotas: ofDeployments, actor: { kind: 'ops' } });
      const [keys, deployments] = await Promise.all([
        session.call(FindAccountQuotas, { account }),
        session.call(FindDeploymentQuotas, { account }),
      ]);
      const quotas = { ...keys.quotas, ...deployments.quotas };
      const defaults = { ...keys.defaults, ...deployments.defaults };
      const used = { ...keys.used, ...deployments.used };
      const counted = [...COUNTED_QUOTAS, ...(Object.keys(DeploymentQuotas.shape) as (keyof DeploymentQuotas)[])];
      const rows = counted.map((name) => [
        name,
        used[name],
        quotas[name] ?? defaults[name],
        quotas[name] === undefined ? 'default' : 'set',
      ]);
      const uploads = ['uploads', undefined, quotas.uploads, quotas.uploads === undefined ? 'default of gateways' : 'set'];
      const table = tableOr('', ['QUOTA', 'USED', 'LIMIT', 'FROM'], [...rows, uploads]);
      return { json: { ...reply, account: slug, quotas, defaults, used }, text: table, note: reply && obeyed(reply) };
    };
  },
};

/** The part of the changes that one service keeps. */
const pick = (changes: Changes, shape: object): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => Object.hasOwn(shape, name)));

const isAny = (changes: Changes): boolean => Object.keys(changes).length > 0;
