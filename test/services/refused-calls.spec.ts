import {
  AcceptInvitation,
  type AuditEntry,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  CreateSetupLink,
  isServiceError,
  ListAudit,
  ListDeploymentAudit,
  ListDeployments,
  ListKeys,
  OpenMcpKey,
  OpenPlayground,
  ReadAudit,
  type RpcContract,
  type SessionTokens,
  StopDeployment,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { ENV } from './bus.js';
import { ClientRig, type Tenant } from './client-rig.js';

const OPS = { kind: 'ops' } as const;
const origin = { address: '192.0.2.7', client: 'test browser' };

let rig: ClientRig;
let door: RpcClient;
let own: Tenant;
let other: Tenant;
let owner: SessionTokens;
let viewer: SessionTokens;

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service']);
  door = new RpcClient(await rig.bus.connect('console'), ENV);
  [own, other] = [await rig.tenant(), await rig.tenant()];
  const setUp = await rig.command(CreateSetupLink, { account: own.account, actor: OPS });
  owner = await accepted(setUp.token, 'owner@example.com');
  const invitation = { account: own.account, email: 'viewer@example.com', role: 'viewer', actor: OPS } as const;
  viewer = await accepted((await rig.command(CreateInvitation, invitation)).token, 'viewer@example.com');
  await until(
    'deployments-service knows the sessions',
    async () => (await codeOf(ListDeployments, { account: own.account })) === 'answered',
  );
});
afterAll(() => rig?.end());

const accepted = (token: string, email: string): Promise<SessionTokens> =>
  until('a person signs in', () =>
    door.call({ ...AcceptInvitation, timeoutMs: 30_000 }, { token, email, password: 'correct horse battery', origin }),
  );

async function codeOf<C extends RpcContract>(contract: C, request: z.input<C['request']>, proof = viewer.access_token): Promise<string> {
  try {
    await door.withProof(proof).call({ ...contract, timeoutMs: 30_000 }, request);
    return 'answered';
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}

const refusalsOf = (entries: readonly AuditEntry[]): unknown[] =>
  entries
    .filter(({ action }) => action === 'call.refused')
    .map(({ actor, actor_id, actor_name, object, address, facts }) => [actor, actor_id, actor_name, object, address, facts])
    .toSorted((one, two) => JSON.stringify(one).localeCompare(JSON.stringify(two)));

/** Object and facts of refused calls that stand in keys-service's log without an account. */
async function ownerless(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let after = 0; ;) {
    const { entries } = await rig.command(ReadAudit, { after });
    const last = entries.at(-1);
    if (!last) return found;
    for (const { text } of entries) {
      const [, , account, action, , , , object, , , , facts] = JSON.parse(text ?? '[]') as unknown[];
      if (account === null && action === 'call.refused') found.push([object, facts]);
    }
    after = last.seq;
  }
}

describe('refused calls of authenticated callers', { timeout: 120_000 }, () => {
  it('are counted in the audit log', async () => {
    const { account } = own;
    const actor = { kind: 'user', user: viewer.user, ...origin } as const;
    const { value, id: key } = await door.withProof(owner.access_token).call(CreateMcpKey, { account });
    const { proof: reading = '' } = await door.call(OpenMcpKey, { value, scope: 'read' });
    const times = async (count: number, ask: () => Promise<string>): Promise<void> => {
      for (const code of await Promise.all(Array.from({ length: count }, ask))) expect(code).toBe('not_permitted');
    };
    await times(30, () => codeOf(CreateKey, { account, name: 'mine', actor }));
    await times(2, () => codeOf(CreateInvitation, { account, email: 'eve@example.com', role: 'owner', actor }));
    await times(3, () => codeOf(ListKeys, { account: other.account }));
    await times(1, () => codeOf(OpenPlayground, { account, session: viewer.session, actor }));
    await times(5, () => codeOf(StopDeployment, { account, deployment: 1, actor }));
    await times(4, () => codeOf(StopDeployment, { account, deployment: 1, actor: { kind: 'key', key } }, reading));
    await times(1, () => codeOf(StopDeployment, { account: other.account, deployment: 1, actor: { kind: 'key', key } }, reading));
    expect(await codeOf(CreateKey, { account, name: 'mine' }, 'x')).toBe('session_ended');
    await expect(door.call(CreateKey, { account, name: 'mine' })).rejects.toMatchObject({ code: 'not_permitted' });
    // What was gathered is written each minute, and before the process ends.
    for (const app of ['keys-service', 'deployments-service'] as const) {
      await rig.process(app).lastWords();
      await rig.spawn(app).ready();
    }
    const person = ['user', viewer.user, 'viewer@example.com'];
    expect(refusalsOf((await rig.command(ListAudit, { account, actor: OPS })).entries)).toEqual([
      [...person, 'rpc:create-invitation', origin.address, { times: 2, reason: 'role' }],
      [...person, 'rpc:create-key', origin.address, { times: 30, reason: 'role' }],
      [...person, 'rpc:list-keys', null, { times: 3, reason: 'foreign' }],
      [...person, 'rpc:open-playground', origin.address, { times: 1, reason: 'role' }],
    ]);
    expect(refusalsOf((await rig.command(ListDeploymentAudit, { account })).entries)).toEqual([
      ['key', key, null, 'rpc:stop-deployment', null, { times: 5, reason: 'foreign, role' }],
      ['user', viewer.user, null, 'rpc:stop-deployment', origin.address, { times: 5, reason: 'role' }],
    ]);
    expect(await ownerless()).toContainEqual(['rpc:create-key', { times: 2, reason: 'invalid, unproven', caller: 'console' }]);
    for (const contract of [ListAudit, ListDeploymentAudit] as const) {
      expect(refusalsOf((await rig.command(contract, { account: other.account, actor: OPS })).entries)).toEqual([]);
    }
  });
});
