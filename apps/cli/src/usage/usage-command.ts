import { deploymentSlug, QueryUsage, UsageGroup, type UsageLatency, type UsageRow, UsageStep } from '@slipway/contracts';
import { findAccountOnce } from '../accounts/find-account.js';
import { ACCOUNT, type Call, command } from '../command.js';
import { type DeploymentReference, deploymentReference, findDeployment } from '../deployments/deployment-name.js';
import { allKeys, keyName, pickKey } from '../keys/find-key.js';
import { type Cell, tableOr } from '../table.js';
import { pastMoment } from '../times.js';
import { checkedBy } from '../values.js';

const GROUPS = UsageGroup.options;

const group = checkedBy(UsageGroup, (word) => `There are ${GROUPS.join(', ')}; not "${word}".`);
const groupList = (text: string): UsageGroup[] => text.split(',').map(group);
const usageStep = checkedBy(UsageStep, () => `It takes ${UsageStep.options.join(', ')}.`);

/** What people see of a group. */
const shownGroup = (group: UsageGroup, row: UsageRow, keyNames: ReadonlyMap<number, string>): Cell => {
  if (group === 'key') return row.key === undefined ? null : `${row.key} ${keyNames.get(row.key) ?? ''}`.trim();
  if (group === 'deployment') return row.deployment === undefined ? null : deploymentSlug(row.deployment);
  return row[group];
};

const SUM_TITLES = ['requests', 'errors', 'prompt', 'cached', 'completion'];
const sumCells = (row: UsageRow): Cell[] => [row.requests, row.errors, row.prompt_tokens, row.cached_tokens, row.completion_tokens];

const LATENCY_TITLES = ['ttft p50', 'ttft p95', 'duration p50', 'duration p95', 'tok/s p50'];
const inMs = (ms: number | undefined): Cell => ms && `${ms} ms`;
const latencyCells = ({ ttft_ms: ttft, duration_ms: duration, tokens_per_second: speed }: UsageLatency = {}): Cell[] => [
  inMs(ttft?.p50),
  inMs(ttft?.p95),
  inMs(duration?.p50),
  inMs(duration?.p95),
  speed?.p50,
];

interface UsageOptions {
  readonly from?: string;
  readonly to?: string;
  readonly by?: UsageGroup[];
  readonly step?: UsageStep;
  readonly latency?: true;
  readonly key?: string;
  readonly deployment?: DeploymentReference;
}

export const usage = command(
  'usage',
  'Shows what an account used: requests and tokens, by the minute in which requests began (UTC).',
  'Requests are counted a second or two after their end, long ones each minute.',
)
  .option('--from <TIME>', 'a date, a moment or a time ago (default: 24h)', (text) => pastMoment(text))
  .option('--to <TIME>', 'the same (default: now)', (text) => pastMoment(text))
  .option('--by <GROUPS>', `${GROUPS.join(', ')}: one or several, with commas`, groupList)
  .option('--step <STEP>', `${UsageStep.options.join(', ')} (default: total)`, usageStep)
  .option('--latency', 'adds how fast completed requests were answered')
  .option('--key <KEY>', 'only this key: its id, name or hint', keyName)
  .option('--deployment <NAME>', 'only this deployment: its slug, number or alias', deploymentReference)
  .takes(ACCOUNT)
  .examples('usage', 'usage --from 7d --by key,status', 'usage --from 2026-01-01 --to 2026-02-01 --step day --by deployment')
  .plans(({ options }: Call<UsageOptions>) => {
    const range = { from: options.from ?? pastMoment('24h'), to: options.to ?? pastMoment('0m') };
    const { by: groups = [], step = 'total', latency, key, deployment } = options;
    return async (session) => {
      const account = await findAccountOnce(session);
      const keys = key !== undefined || groups.includes('key') ? await allKeys(session, account.id) : [];
      const { rows, as_of: asOf } = await session.call(QueryUsage, {
        account: account.id,
        ...range,
        step,
        group_by: groups,
        ...(latency && { latency }),
        ...(key !== undefined && { key: pickKey(keys, key, account.slug).id }),
        ...(deployment && { deployment: (await findDeployment(session, deployment)).view.id }),
      });
      const names = new Map(keys.map(({ id, name }): [number, string] => [id, name]));
      const titles = [...(step === 'total' ? [] : ['from']), ...groups, ...SUM_TITLES, ...(latency ? LATENCY_TITLES : [])];
      const cells = rows.map((row) => [
        ...(step === 'total' ? [] : [row.from]),
        ...groups.map((group) => shownGroup(group, row, names)),
        ...sumCells(row),
        ...(latency ? latencyCells(row.latency) : []),
      ]);
      const upper = titles.map((title) => title.toUpperCase());
      const nothing = `Account ${account.slug} used nothing from ${range.from} to ${range.to}.`;
      return { json: { account: account.slug, ...range, step, rows, as_of: asOf }, text: tableOr(nothing, upper, cells) };
    };
  });
