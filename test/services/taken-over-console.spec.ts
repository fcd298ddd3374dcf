import {
  AcceptInvitation,
  CreateAccount,
  CreateInvitation,
  CreateKey,
  CreateMcpKey,
  CreateSetupLink,
  EndSessions,
  isServiceError,
  ListAccounts,
  ListDeploymentAudit,
  ListDeployments,
  ListInvitations,
  ListKeys,
  ListMembers,
  OpenMcpKey,
  RevokeKey,
  RotateKey,
  type RpcContract,
  type SessionTokens,
  StopDeployment,
  subjectOf,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { ENV } from './bus.js';
import { ClientRig, type Tenant } from './client-rig.js';

const OPS = { kind: 'ops' } as const;

let rig: ClientRig;
/** With the credentials of the console, and nothing else of it. */
let thief: RpcClient;
let own: Tenant;
let other: Tenant;
let owner: SessionTokens;

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service']);
  thief = new RpcClient(await rig.bus.connect('console'), ENV);
  [own, other] = [await rig.tenant(), await rig.tenant()];
  owner = await ownerOf(own);
});
afterAll(() => rig?.end());

/** An owner who signs in through this console. */
async function ownerOf({ account, slug }: Tenant): Promise<SessionTokens> {
  const { token } = await rig.command(CreateSetupLink, { account, actor: OPS });
  const accepted = { token, email: `owner@${slug}.example.com`, password: 'correct horse battery', origin: {} };
  return until('the owner comes in', () => thief.call({ ...AcceptInvitation, timeoutMs: 30_000 }, accepted));
}

async function codeOf<C extends RpcContract>(contract: C, request: z.input<C['request']>, proof?: string): Promise<string> {
  const client = proof === undefined ? thief : thief.withProof(proof);
  try {
    await client.call({ ...contract, timeoutMs: 5_000 }, request);
    return 'answered';
  } catch (error) {
    if (isServiceError(error)) return error.code;
    throw error;
  }
}

describe('stolen credentials of the console', () => {
  it('give no operator’s calls', async () => {
    const nats = await rig.bus.connect('console');
    const questions: [RpcContract, object][] = [
      [ListAccounts, {}],
      [CreateAccount, { slug: 'taken-over' }],
      [CreateSetupLink, { account: other.account, actor: OPS }],
      [CreateInvitation, { account: other.account, email: 'thief@example.com', role: 'owner', actor: OPS }],
    ];
    for (const [contract, request] of questions) {
      const subject = subjectOf(contract, { env: ENV });
      const names = contract === CreateInvitation ? ['.ops', ''] : ['.console', '.ops', ''];
      for (const name of names) {
        await expect(nats.request(`${subject}${name}`, JSON.stringify(request), { timeout: 300 })).rejects.toBeInstanceOf(Error);
      }
    }
    const { accounts } = await rig.command(ListAccounts, {});
    expect(accounts.map(({ slug }) => slug)).not.toContain('taken-over');
    expect(await rig.command(ListInvitations, { account: other.account, actor: OPS })).toEqual({ invitations: [] });
  });

  it('give no account without a proof', async () => {
    const account = other.account;
    for (const actor of [OPS, { kind: 'user', user: owner.user }, undefined] as const) {
      expect(await codeOf(CreateKey, { account, name: 'stolen', ...(actor && { actor }) })).toBe('not_permitted');
    }
    const invitation = { account, email: 'thief@example.com', role: 'owner', actor: OPS } as const;
    expect(await codeOf(CreateInvitation, invitation)).toBe('not_permitted');
    expect(await codeOf(ListMembers, { account, actor: OPS })).toBe('not_permitted');
    expect(await codeOf(ListKeys, { account })).toBe('not_permitted');
    expect(await codeOf(ListDeployments, { account })).toBe('not_permitted');
    expect(await codeOf(ListDeploymentAudit, { account })).toBe('not_permitted');
    expect((await rig.command(ListKeys, { account })).keys.map(({ name }) => name)).toEqual(['a key']);
  });

  it('give only the account of a proof', async () => {
    const proof = owner.access_token;
    expect(await codeOf(ListKeys, { account: own.account }, proof)).toBe('answered');
    expect(await codeOf(ListMembers, { account: own.account, actor: { kind: 'user', user: owner.user } }, proof)).toBe('answered');
    await until(
      'deployments-service knows which sessions ended',
      async () => (await codeOf(ListDeployments, { account: own.account }, proof)) === 'answered',
    );
    expect(await codeOf(ListDeploymentAudit, { account: own.account }, proof)).toBe('answered');
    for (const contract of [ListKeys, ListDeployments, ListDeploymentAudit] as const) {
      expect(await codeOf(contract, { account: other.account }, proof)).toBe('not_permitted');
    }
    expect(await codeOf(ListMembers, { account: own.account, actor: OPS }, proof)).toBe('not_permitted');
    expect(await codeOf(ListKeys, { account: own.account }, `${proof}x`)).toBe('session_ended');
  });

  it('give nothing with an ended session', async () => {
    const gone = await ownerOf(await rig.tenant());
    await rig.command(EndSessions, { user: gone.user, actor: OPS });
    expect(await codeOf(ListKeys, { account: gone.account }, gone.access_token)).toBe('session_ended');
    const asked = (): Promise<string> => codeOf(ListDeployments, { account: gone.account }, gone.access_token);
    await until('deployments-service refuses it too', async () => (await asked()) === 'session_ended');
  });

  it('give only an MCP key’s scope', async () => {
    const { account } = own;
    const { value } = await rig.command(CreateMcpKey, { account });
    const { proof: reading = '' } = await thief.call(OpenMcpKey, { value, scope: 'read' });
    const { proof: writing = '', key } = await thief.call(OpenMcpKey, { value });
    const stop = { account, deployment: 1 as never };
    for (const proof of [reading, writing]) {
      expect(await codeOf(ListKeys, { account }, proof)).toBe('answered');
      expect(await codeOf(ListDeployments, { account }, proof)).toBe('answered');
      expect(await codeOf(ListDeployments, { account: other.account }, proof)).toBe('not_permitted');
      expect(await codeOf(CreateKey, { account, name: 'by an agent' }, proof)).toBe('not_permitted');
      expect(await codeOf(RotateKey, { account, key: own.key.id }, proof)).toBe('not_permitted');
      expect(await codeOf(ListMembers, { account, actor: { kind: 'key', key } }, proof)).toBe('not_permitted');
    }
    expect(await codeOf(StopDeployment, stop, reading)).toBe('not_permitted');
    expect(await codeOf(StopDeployment, stop, writing)).toBe('deployment_not_found');
    expect(await codeOf(RevokeKey, { account, key: own.key.id }, reading)).toBe('not_permitted');
    expect(await codeOf(RevokeKey, { account, key: own.key.id }, writing)).toBe('answered');
  });
});
