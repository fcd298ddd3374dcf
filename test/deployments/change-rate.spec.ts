import {
  AcceptInvitation,
  type AccountId,
  CreateSetupLink,
  isServiceError,
  ListDeployments,
  RemoveAlias,
  type ServiceError,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { ClientRig } from '../services/client-rig.js';
import { until } from '../testing/until.js';

const OPS = { kind: 'ops' } as const;
/** Ten minutes' worth, as it is by default. */
const IN_A_ROW = 600;
const AT_ONCE = 20;

let rig: ClientRig;

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service']);
});
afterAll(() => rig?.end());

/** A signed-in person with an account of their own. */
async function anOwner(): Promise<{ account: AccountId; rpc: RpcClient }> {
  const console = new RpcClient(await rig.bus.connect('console'), ENV);
  const { account, slug } = await rig.tenant();
  const { token } = await rig.command(CreateSetupLink, { account, actor: OPS });
  const accepted = { token, email: `owner@${slug}.example.com`, password: 'correct horse battery', origin: {} };
  const owner = await until('the owner comes in', () => console.call({ ...AcceptInvitation, timeoutMs: 30_000 }, accepted));
  const rpc = console.withProof(owner.access_token);
  const known = (): Promise<boolean> =>
    rpc.call(ListDeployments, { account }).then(
      () => true,
      () => false,
    );
  await until('deployments-service knows them', known);
  return { account, rpc };
}

/** The refusal of a change; null where it was done. */
async function change({ account, rpc }: { account: AccountId; rpc: Pick<RpcClient, 'call'> }): Promise<ServiceError | null> {
  try {
    await rpc.call({ ...RemoveAlias, timeoutMs: 30_000 }, { account, alias: 'none' });
    return null;
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
}

it('the change rate is limited per account', async () => {
  const [busy, other] = [await anOwner(), await anOwner()];
  let done = 0;
  let refusal: ServiceError | undefined;
  while (refusal === undefined && done < 5 * IN_A_ROW) {
    const refusals = (await Promise.all(Array.from({ length: AT_ONCE }, () => change(busy)))).filter((error) => error !== null);
    done += AT_ONCE - refusals.length;
    refusal = refusals[0];
  }
  expect(refusal).toMatchObject({
    code: 'rate_limit_exceeded',
    retryAfterS: 1,
    message: expect.stringContaining('60 changes a minute') as string,
  });
  expect(done).toBeGreaterThanOrEqual(IN_A_ROW);
  expect(await change(other)).toBeNull();
  expect(await rig.command(RemoveAlias, { account: busy.account, alias: 'none', actor: OPS })).toMatchObject({ removed: false });
  expect(await busy.rpc.call(ListDeployments, { account: busy.account })).toMatchObject({ deployments: [] });
  // A second grants the next one.
  await until('it may change something again', async () => (await change(busy)) === null);
});
