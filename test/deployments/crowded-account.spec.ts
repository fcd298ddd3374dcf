import { CreateDeployment, isServiceError, ListDeployments, ScaleDeployment, StopDeployment } from '@slipway/contracts';
import { expect } from 'vitest';
import { aModel, anAccount } from './rig.js';
import { rigTest as it } from './rig-test.js';

const AT_ONCE = 300;

const codeOf = (error: unknown): string => (isServiceError(error) ? error.code : String(error));

/** What became of the calls: `done`, or the code of the refusal. */
async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  const outcomes = settled.map((call) => (call.status === 'fulfilled' ? 'done' : codeOf(call.reason)));
  return [...new Set(outcomes)].sort();
}

it('an account that asks for 300 changes and lists at once keeps no other and no placement waiting', async ({ rig }) => {
  const replica = await rig.startReplica({ QUOTA_DEPLOYMENTS: '1000', QUOTA_REPLICAS: '1000', CHANGES_PER_MINUTE: '1000' });
  rig.startAgent();
  const [crowd, other] = [anAccount(), anAccount()];
  const [first, own] = [await rig.create(crowd), await rig.create(other)];
  await rig.heard(first, 'ready');
  await rig.heard(own, 'ready');
  const many = (call: (n: number) => Promise<unknown>): Promise<unknown>[] => Array.from({ length: AT_ONCE }, (_, n) => call(n));
  const asked = outcomesOf([
    ...many(() => rig.rpc.call(CreateDeployment, aModel(crowd))),
    ...many((n) => rig.rpc.call(ScaleDeployment, { account: crowd, deployment: first, replicas: 1 + (n % 2) })),
    ...many(() => rig.rpc.call(ListDeployments, { account: crowd })),
  ]);

  const listed: string[] = [];
  for (let n = 0; n < 8; n += 1) listed.push(...(await outcomesOf([rig.rpc.call(ListDeployments, { account: other })])));
  expect(new Set(listed)).toEqual(new Set(['done']));
  const { id } = await rig.rpc.call(CreateDeployment, aModel(other));
  await rig.rpc.call(StopDeployment, { account: other, deployment: own });
  await rig.heard(id, 'ready');
  await rig.heard(own, 'stopped');
  expect(await asked).toEqual(['done', 'unavailable']);
  expect(replica.output).not.toContain('placement.database_lost');
  // It is not locked out either.
  await rig.heard(await rig.create(crowd), 'ready');
});
