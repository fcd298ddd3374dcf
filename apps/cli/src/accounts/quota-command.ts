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
import { command } from '../command.js';
import { propagationText } from '../keys/propagation.js';
import { OPERATOR } from '../session/session.js';
import { tableOr } from '../table.js';
import { DEFAULT, nullable, wholeOr } from '../values.js';
import { type AccountSlug, accountSlug, findAccount } from './find-account.js';

type QuotaName = keyof AccountQuotas | keyof DeploymentQuotas;
type Change = readonly [QuotaName, number | null];

const SHAPE = { ...AccountQuotas.shape, ...DeploymentQuotas.shape };
const isQuota = (name: string): name is QuotaName => Object.hasOwn(SHAPE, name);

/** Adds a word like `keys=200` to those before it. @throws UsageError */
export function quotaChanges(word: string, before: readonly Change[] = []): Change[] {
  const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  if (!isQuota(name)) throw new UsageError(`It takes NAME=VALUE; the names are ${Object.keys(SHAPE).join(', ')}.`);
  if (before.some(([other]) => other === name)) throw new UsageError(`${name} is written twice.`);
  return [...before, [name, nullable(wholeOr(DEFAULT, SHAPE[name])(text))]];
}

export const quota = command(
  'quota',
  'Shows how much of each an account may have, or changes it.',
  `Quotas: ${Object.keys(SHAPE).join(', ')}. Those that are not named stay as they are.`,
)
  .argument('<ACCOUNT>', 'its slug', accountSlug)
  .argument('[NAME=VALUE...]', `such as keys=200 or members=${DEFAULT}`, quotaChanges)
  .examples('accounts quota acme', `accounts quota acme keys=500 members=${DEFAULT}`)
  .plans((_, slug: AccountSlug, changes: Change[]) => async (session) => {
    const { id: account } = await findAccount(session, slug);
    const ofKeys = pick(changes, AccountQuotas.shape);
    const ofDeployments = pick(changes, DeploymentQuotas.shape);
    const reply = isAny(ofKeys) ? await session.call(SetAccountQuotas, { account, quotas: ofKeys }) : undefined;
    if (isAny(ofDeployments)) await session.call(SetDeploymentQuotas, { account, quotas: ofDeployments, actor: OPERATOR });
    const [keys, deployments] = await Promise.all([
      session.call(FindAccountQuotas, { account }),
      session.call(FindDeploymentQuotas, { account }),
    ]);
    const quotas = { ...keys.quotas, ...deployments.quotas };
    const defaults = { ...keys.defaults, ...deployments.defaults };
    const used = { ...keys.used, ...deployments.used };
    const counted = [...COUNTED_QUOTAS, ...(Object.keys(DeploymentQuotas.shape) as (keyof DeploymentQuotas)[])];
    const rows = counted.map((name) => [name, used[name], quotas[name] ?? defaults[name], quotas[name] === undefined ? 'default' : 'set']);
    const uploads = ['uploads', undefined, quotas.uploads, quotas.uploads === undefined ? 'default of gateways' : 'set'];
    const table = tableOr('', ['QUOTA', 'USED', 'LIMIT', 'FROM'], [...rows, uploads]);
    return { json: { ...reply, account: slug, quotas, defaults, used }, text: table, note: reply && propagationText(reply) };
  });

/** The changes that one service keeps, by name. */
const pick = (changes: readonly Change[], shape: object): Partial<Record<QuotaName, number | null>> =>
  Object.fromEntries(changes.filter(([name]) => Object.hasOwn(shape, name)));

const isAny = (changes: object): boolean => Object.keys(changes).length > 0;
