import { deploymentSlug, QueryUsage, UsageGroup, type UsageLatency, type UsageRow, UsageStep } from '@slipway/contracts';
import { findAccountOnce } from '../accounts/find-account.js';
import { UsageError } from '../cli-errors.js';
import { ACCOUNT_OPTION, type Command } from '../command.js';
import { deploymentReference, findDeployment } from '../deployments/deployment-name.js';
import { allKeys, keyName, pickKey } from '../keys/find-key.js';
import type { OptionValues } from '../option-values.js';
import { type Cell, tableOr } from '../table.js';
import { moment } from './moment.js';

const GROUPS = UsageGroup.options;

function groupsOf(options: OptionValues): UsageGroup[] {
  const words = options.text('by')?.split(',') ?? [];
  return words.map((word) => {
    const group = UsageGroup.safeParse(word);
    if (!group.success) throw new UsageError(`--by takes some of ${GROUPS.join(', ')}, with commas between them; not "${word}".`);
    return group.data;
  });
}

function stepOf(options: OptionValues): UsageStep {
  const text = options.text('step') ?? 'total';
  const step = UsageStep.safeParse(text);
  if (!step.success) throw new UsageError(`--step takes ${UsageStep.options.join(', ')}; not "${text}".`);
  return step.data;
}

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

export const usage: Command = {
  name: 'usage',
  summary: 'Shows what an account used: requests and tokens, by the minute in which requests began (UTC).',
  remark: 'Requests are counted a second or two after their end, long ones each minute.',
  words: [],
  options: {
    from: { value: 'TIME', about: 'a date, a moment or a time ago (24h)' },
    to: { value: 'TIME', about: 'the same (now)' },
    by: { value: 'GROUPS', about: `${GROUPS.join(', ')}: one or several, with commas` },
    step: { value: 'STEP', about: `${UsageStep.options.join(', ')} (total)` },
    latency: { about: 'adds how fast completed requests were answered' },
    key: { value: 'KEY', about: 'only this key: its id, name or hint' },
    deployment: { value: 'NAME', about: 'only this deployment: its slug, number or alias' },
    ...ACCOUNT_OPTION,
  },
  plan({ options }) {
    const now = Date.now();
    const range = { from: moment('from', options.text('from') ?? '24h', now), to: moment('to', options.text('to') ?? '0m', now) };
    const [groups, step, latency] = [groupsOf(options), stepOf(options), options.flag('latency')];
    const [key, deployment] = [options.text('key'), options.text('deployment')];
    const [keyText, reference] = [key && keyName(key), deployment && deploymentReference(deployment)];
    return async (session) => {
      const account = await findAccountOnce(session);
      const keys = keyText || groups.includes('key') ? await allKeys(session, account.id) : [];
      const { rows, as_of: asOf } = await session.call(QueryUsage, {
        account: account.id,
        ...range,
        step,
        group_by: groups,
        ...(latency && { latency }),
        ...(keyText && { key: pickKey(keys, keyText, account.slug).id }),
        ...(reference && { deployment: (await findDeployment(session, reference)).view.id }),
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
  },
};
