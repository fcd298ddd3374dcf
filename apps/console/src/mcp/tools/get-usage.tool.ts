import { deploymentSlug, KeyId, QueryUsage, UsageGroup, type UsageLatency, UsageStep } from '@slipway/contracts';
import { z } from 'zod';
import { defineTool, knownFields, READS } from '../mcp-tool.js';
import { DeploymentRef, deploymentIdOf } from '../deployment-reference.js';
import { pageInput, pageOf, pageOutput } from '../page-cursor.js';

const WEEK_MS = 7 * 86_400_000;
const Count = z.int();
const Moment = z.iso.datetime({ offset: true });

const Milliseconds = z.number().optional();
/** Speed of completed requests; absent if there were none. */
const SPEED = {
  ttft_p50_ms: Milliseconds.describe('Time to the first token: half of the completed requests stay below; true to 5 %.'),
  ttft_p95_ms: Milliseconds.describe('95 of 100 stay below.'),
  duration_p50_ms: Milliseconds.describe('Time to the end of the answer: half stay below.'),
  duration_p95_ms: Milliseconds,
  tokens_per_second_p50: z.number().optional().describe('Of one answer after its first token: half are slower.'),
};

const speedOf = (latency: UsageLatency | undefined): Partial<Record<keyof typeof SPEED, number>> =>
  knownFields({
    ttft_p50_ms: latency?.ttft_ms?.p50,
    ttft_p95_ms: latency?.ttft_ms?.p95,
    duration_p50_ms: latency?.duration_ms?.p50,
    duration_p95_ms: latency?.duration_ms?.p95,
    tokens_per_second_p50: latency?.tokens_per_second?.p50,
  });

const utc = (moment: string): string => new Date(moment).toISOString();

export const getUsage = defineTool({
  name: 'get_usage',
  title: 'Read usage',
  description:
    'Shows requests, errors, tokens and speed of the account by time, deployment, key, alias, contract or outcome. Days and hours are UTC; a request is counted a second or two after its end.',
  hints: READS,
  input: z.object({
    from: Moment.optional().describe('Begin, like 2026-01-31T00:00:00Z; seven days before the end unless given.'),
    to: Moment.optional().describe('End, not included; now unless given.'),
    step: UsageStep.optional().describe('Length of a bucket; total is the whole range in one. A day unless given.'),
    group_by: z.array(UsageGroup).max(5).optional().describe('Splits each bucket; api is the contract, status the outcome.'),
    slug: DeploymentRef.optional().describe('Only this deployment.'),
    key_id: z.int().positive().optional().describe('Only this deployment key.'),
    ...pageInput,
  }),
  output: z.object({
    buckets: z.array(
      z.object({
        from: z.string(),
        key_id: Count.optional(),
        deployment: z.string().optional(),
        alias: z.string().optional().describe('Empty where the slug was called.'),
        api: z.string().optional(),
        status: z.string().optional(),
        requests: Count,
        errors: Count,
        prompt_tokens: Count,
        cached_tokens: Count,
        completion_tokens: Count,
        ...SPEED,
      }),
    ),
    as_of: z.string().describe('When the ledger was read.'),
    ...pageOutput,
  }),
  run: async ({ slug, key_id, step = 'day', group_by = [], ...asked }, call) => {
    const to = asked.to === undefined ? new Date() : new Date(asked.to);
    const from = asked.from === undefined ? new Date(to.getTime() - WEEK_MS).toISOString() : utc(asked.from);
    const deployment = slug === undefined ? undefined : await deploymentIdOf(slug, call);
    const key = key_id === undefined ? undefined : KeyId.parse(key_id);
    const range = { from, to: to.toISOString(), step, group_by };
    const { rows, as_of } = await call.rpc.call(QueryUsage, { account: call.caller.account, ...range, key, deployment, latency: true });
    const places = rows.map((row, place) => ({ row, place }));
    const { page, next } = pageOf(places, asked, ({ place }) => place);
    return {
      buckets: page.map(({ row: { key: rowKey, deployment: rowDeployment, latency, ...row } }) => ({
        ...row,
        ...speedOf(latency),
        ...(rowKey !== undefined && { key_id: rowKey }),
        ...(rowDeployment !== undefined && { deployment: deploymentSlug(rowDeployment) }),
      })),
      as_of,
      ...next,
    };
  },
});
