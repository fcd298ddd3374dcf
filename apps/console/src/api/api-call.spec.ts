import { AccountId, CONSOLE_API, KeyId, ServiceError, UserId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { callOf, requestOf } from './api-call.js';

const actor = { kind: 'user', user: UserId.parse(3) } as const;
const caller = { account: AccountId.parse(7), user: UserId.parse(3) };

function codeOf(attempt: () => unknown): [string, string | undefined] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.param];
    throw error;
  }
  throw new Error('Nothing was refused.');
}

describe('a call of the dashboard', () => {
  it('does not exist unless it is listed', () => {
    for (const name of ['keys/steal', 'toString/call', 'constructor', '__proto__/x', 'keys']) {
      expect(
        codeOf(() => callOf(name, 'owner')),
        name,
      ).toEqual(['not_found', undefined]);
    }
  });

  it('that changes something is refused to viewers', () => {
    for (const [name, { role }] of Object.entries(CONSOLE_API)) {
      if (role === 'viewer') expect(callOf(name, 'viewer').role, name).toBe('viewer');
      else
        expect(
          codeOf(() => callOf(name, 'viewer')),
          name,
        ).toEqual(['not_permitted', undefined]);
      expect(callOf(name, 'owner').role, name).toBe(role);
    }
  });

  it('by viewers never changes data of others', () => {
    const readable = Object.entries(CONSOLE_API).filter(([, { role, rpc }]) => role === 'viewer' && rpc.proof !== 'self');
    expect(
      readable
        .map(([name]) => name)
        .filter(
          (name) =>
            !/\/(list|find|find-import|imports|calls|events|load|log|options|query|compare|measure|metrics|checkpoints)$/.test(name),
        ),
    ).toEqual([]);
  });

  it('works in the session’s account, whatever the body says', () => {
    const call = callOf('keys/revoke', 'member');
    const forged = { account: 1, actor: { kind: 'ops' }, key: 12 };
    expect(requestOf(call, forged, caller, actor)).toEqual({ account: 7, actor, key: KeyId.parse(12) });
  });

  it('about oneself concerns the user of the session', () => {
    const call = callOf('sessions/list', 'viewer');
    expect(requestOf(call, { user: 9 }, caller, actor)).toEqual({ user: 3 });
    expect(requestOf(callOf('members/remove', 'owner'), { user: 9 }, caller, actor)).toMatchObject({ user: 9, account: 7 });
  });

  it('needs the role that the service requires', () => {
    for (const [name, { role, rpc }] of Object.entries(CONSOLE_API)) {
      expect([name, role]).toEqual([name, rpc.proof === 'self' ? 'viewer' : rpc.proof]);
    }
  });

  it('names the field that is wrong', () => {
    expect(codeOf(() => requestOf(callOf('keys/create', 'member'), { name: '  ' }, caller, actor))).toEqual(['invalid_request', 'name']);
    expect(codeOf(() => requestOf(callOf('keys/create', 'member'), [], caller, actor))).toEqual(['invalid_request', undefined]);
    expect(codeOf(() => requestOf(callOf('deployments/find', 'viewer'), undefined, caller, actor))).toEqual([
      'invalid_request',
      'deployment',
    ]);
  });
});
