import {
  type AccountId,
  AccountQuotas,
  COUNTED_QUOTAS,
  DeploymentQuotas,
  FindAccountQuotas,
  FindDeploymentQuotas,
  FindTuningQuotas,
  SetAccountQuotas,
  SetDeploymentQuotas,
  SetTuningQuotas,
  TuningCounts,
} from '@slipway/contracts';
import type { z } from 'zod';
import { UsageError } from '../cli-errors.js';
import { command } from '../command.js';
import { propagationText } from '../keys/propagation.js';
import { isAbsent } from '../session/connect.js';
import { OPERATOR, type Session } from '../session/session.js';
import { tableOr } from '../table.js';
import { DEFAULT, nullable, wholeOr } from '../values.js';
import { type AccountSlug, accountSlug, findAccount } from './find-account.js';

/** Quotas of tuning-service by the names that they have here: gateways have uploads, too. */
const TUNING = {
  datasets: 'datasets',
  dataset_versions: 'versions',
  dataset_bytes: 'bytes',
  file_bytes: 'file_bytes',
  examples: 'examples',
  dataset_uploads: 'uploads',
  running_jobs: 'running_jobs',
  queued_jobs: 'queued_jobs',
  job_tokens: 'job_tokens',
  month_tokens: 'month_tokens',
  adapters: 'adapters',
} as const satisfies Record<string, keyof TuningCounts>;
type TuningName = keyof typeof TUNING;
const TUNING_NAMES = Object.keys(TUNING) as TuningName[];

type QuotaName = keyof AccountQuotas | keyof DeploymentQuotas | TuningName;
type Change = readonly [QuotaName, number | null];

const SHAPE: Readonly<Partial<Record<QuotaName, z.ZodType>>> = {
  ...AccountQuotas.shape,
  ...DeploymentQuotas.shape,
  ...Object.fromEntries(TUNING_NAMES.map((name) => [name, TuningCounts.shape[TUNING[name]]])),
};
const isQuota = (name: string): name is QuotaName => Object.hasOwn(SHAPE, name);

/** Adds a word like `keys=200` to those before it. @throws UsageError */
export function quotaChanges(word: string, before: readonly Change[] = []): Change[] {
  const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  const schema = isQuota(name) ? SHAPE[name] : undefined;
  if (!isQuota(name) || !schema) throw new UsageError(`It takes NAME=VALUE; the names are ${Object.keys(SHAPE).join(', ')}.`);
  if (before.some(([other]) => other === name)) throw new UsageError(`${name} is written twice.`);
  return [...before, [name, nullable(wholeOr(DEFAULT, schema)(text))]];
}

export const quota = command(
  'quota',
  'Shows how much of each an account may have, or changes it.',
  `Quotas: ${Object.keys(SHAPE).join(', ')}. Those that are not named stay as they are.`,
)
  .argument('<ACCOUNT>', 'its slug', accountSlug)
  .argument('[NAME=VALUE...]', `such as keys=200 or members=${DEFAULT}`, quotaChanges)
  .examples(
    'accounts quota acme',
    `accounts quota acme keys=500 members=${DEFAULT}`,
    'accounts quota acme dataset_bytes=42949672960 adapters=20',
  )
  .plans((_, slug: AccountSlug, changes: Change[]) => async (session) => {
    const { id: account } = await findAccount(session, slug);
    const ofKeys = pick(changes, AccountQuotas.shape);
    const ofDeployments = pick(changes, DeploymentQuotas.shape);
    const reply = isAny(ofKeys) ? await session.call(SetAccountQuotas, { account, quotas: ofKeys }) : undefined;
    if (isAny(ofDeployments)) await session.call(SetDeploymentQuotas, { account, quotas: ofDeployments, actor: OPERATOR });
    const ofTuning = tuningChanges(changes);
    if (isAny(ofTuning)) await session.call(SetTuningQuotas, { account, quotas: ofTuning, actor: OPERATOR });
    const [keys, deployments, tuning] = await Promise.all([
      session.call(FindAccountQuotas, { account }),
      session.call(FindDeploymentQuotas, { account }),
      tuningQuotas(session, account),
    ]);
    const quotas: Counts = { ...keys.quotas, ...deployments.quotas, ...tuning?.quotas };
    const defaults: Counts = { ...keys.defaults, ...deployments.defaults, ...tuning?.defaults };
    const used: Counts = { ...keys.used, ...deployments.used, ...tuning?.used };
    const counted = [...COUNTED_QUOTAS, ...Object.keys(DeploymentQuotas.shape), ...(tuning ? TUNING_NAMES : [])] as QuotaName[];
    const rows = counted.map((name) => [name, used[name], quotas[name] ?? defaults[name], quotas[name] === undefined ? 'default' : 'set']);
    const uploads = ['uploads', undefined, quotas.uploads, quotas.uploads === undefined ? 'default of gateways' : 'set'];
    const table = tableOr('', ['QUOTA', 'USED', 'LIMIT', 'FROM'], [...rows, uploads]);
    const note = [reply && propagationText(reply), tuning ? undefined : NO_TUNING].filter((text) => text !== undefined).join(' ');
    return { json: { ...reply, account: slug, quotas, defaults, used }, text: table, note: note === '' ? undefined : note };
  });

type Counts = Partial<Record<QuotaName, number | undefined>>;

const NO_TUNING = 'tuning-service does not run, so the quotas of data sets, jobs and adapters are missing.';

/** Quotas of data sets, jobs and adapters by their names here; null where no tuning-service runs. */
async function tuningQuotas(
  session: Session,
  account: AccountId,
): Promise<{ readonly quotas: Counts; readonly defaults: Counts; readonly used: Counts } | null> {
  try {
    const { quotas, defaults, used } = await session.call(FindTuningQuotas, { account });
    return { quotas: renamed(quotas), defaults: renamed(defaults), used: renamed(used) };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const renamed = (counts: Partial<Record<keyof TuningCounts, number | undefined>>): Counts =>
  Object.fromEntries(TUNING_NAMES.flatMap((name) => (counts[TUNING[name]] === undefined ? [] : [[name, counts[TUNING[name]]]])));

const isTuning = (name: QuotaName): name is TuningName => Object.hasOwn(TUNING, name);
const tuningChanges = (changes: readonly Change[]): Partial<Record<keyof TuningCounts, number | null>> =>
  Object.fromEntries(changes.flatMap(([name, quota]) => (isTuning(name) ? [[TUNING[name], quota]] : [])));

/** The changes that one service keeps, by name. */
const pick = (changes: readonly Change[], shape: object): Partial<Record<QuotaName, number | null>> =>
  Object.fromEntries(changes.filter(([name]) => Object.hasOwn(shape, name)));

const isAny = (changes: object): boolean => Object.keys(changes).length > 0;
