import { type Actor, CONTRACTS, type RpcContract, ServiceError } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Proven } from './proof-reader.js';
import { type RefusedCall, RpcGate } from './rpc-gate.js';

const ACCOUNT = 1;
const OWN = { account: ACCOUNT, user: 7, session: 'a'.repeat(22), key: 9 };
const person = (role: string, more: object = {}): Proven => ({ kind: 'person', ...OWN, role, ...more }) as unknown as Proven;
const key = (scope: string, more: object = {}): Proven =>
  ({ kind: 'key', key: OWN.key, account: ACCOUNT, scope, ...more }) as unknown as Proven;

/** Proofs by name; any other one is invalid. */
const PROOFS: Readonly<Record<string, Proven>> = {
  owner: person('owner'),
  member: person('member'),
  viewer: person('viewer'),
  'owner of another account': person('owner', { account: 2, user: 8, session: 'b'.repeat(22) }),
  'owner of a suspended account': person('owner', { isSuspended: true }),
  'viewer of a suspended account': person('viewer', { isSuspended: true }),
  'writing key': key('write'),
  'reading key': key('read'),
  'key of another account': key('write', { account: 2, key: 10 }),
};

const RPCS = CONTRACTS.filter((contract): contract is RpcContract => contract.kind === 'rpc');
const CONSOLES = RPCS.filter(({ callers }) => callers.includes('console'));
const CHECKED = CONSOLES.filter(({ proof }) => proof !== 'carried' && proof !== 'role');

let refused: RefusedCall[];
let gate: RpcGate;

beforeEach(() => {
  refused = [];
  const read = (token: string): Promise<Proven> => {
    const proven = PROOFS[token];
    return proven ? Promise.resolve(proven) : Promise.reject(new ServiceError('session_ended', 'Over.'));
  };
  gate = new RpcGate({ read }, (call) => refused.push(call));
});

const named = ({ request }: RpcContract): Record<string, unknown> => {
  const { shape } = request as unknown as { shape: object };
  return Object.fromEntries(Object.entries(OWN).filter(([field]) => field in shape));
};
const hasActor = ({ request }: RpcContract): boolean => 'actor' in (request as unknown as { shape: object }).shape;

/** The proven role, where the contract wants it. */
const roleFor = ({ request }: RpcContract, proof: string): object => {
  if (!('proven_role' in (request as unknown as { shape: object }).shape)) return {};
  const ofKey = proof === 'reading key' ? 'viewer' : 'member';
  return { proven_role: proof.includes('key') ? ofKey : proof.split(' ')[0] };
};

const admitted = (contract: RpcContract, proof: string | undefined, request: object = named(contract)): Promise<unknown> =>
  gate.admit({ contract, caller: 'console', proof, request });
const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error as ServiceError).code,
  );

/** Calls to tuning-service that change nothing and read what viewers may not. */
const TEXT_READS = [
  'read-examples',
  'download-dataset',
  'plan-job',
  'read-job-log',
  'read-job-samples',
  'read-adapter-answers',
  'read-evaluation-items',
  'read-blind-pairs',
  'export-adapter',
  'list-tuning-audit',
];
/** Calls of members or owners that change nothing. */
const READS = ['list-audit', 'list-invitations', 'list-deployment-audit', 'fit-deployment', ...TEXT_READS];

/** Which of `PROOFS` may make this call. */
function allowed({ subject, proof, agents }: RpcContract): string[] {
  const suspended = ['owner of a suspended account', 'viewer of a suspended account'];
  const looking = READS.includes(subject.split('.').at(-1)!) ? suspended.slice(0, 1) : [];
  const people = {
    viewer: ['owner', 'member', 'viewer', ...suspended],
    member: ['owner', 'member', ...looking],
    owner: ['owner', ...looking],
  } as const;
  if (proof === 'self' || proof === 'session') return ['owner', 'member', 'viewer', ...suspended];
  if (proof === 'key') return ['writing key', 'reading key'];
  if (proof !== 'viewer' && proof !== 'member' && proof !== 'owner') throw new Error(`The test does not know the proof ${proof}.`);
  const keys = { viewer: ['writing key', 'reading key'], member: ['writing key'], owner: [] } as const;
  return [...people[proof], ...(agents === true ? keys[proof] : [])];
}

describe('a compromised console', () => {
  it('needs a proof for nearly every call', () => {
    const open = CONSOLES.filter((contract) => !CHECKED.includes(contract)).map(({ subject }) => subject.split('.').at(-1));
    expect(open.toSorted((one = '', other = '') => one.localeCompare(other))).toEqual([
      'accept-invitation',
      'begin-sign-in-external',
      'find-blob-door',
      'find-invitation',
      'find-setup',
      'keep-playground',
      'list-session-keys',
      'open-mcp-key',
      'refresh-session',
      'sign-in',
      'sign-in-external',
      'sign-out',
      'since',
      'snapshot',
    ]);
  });

  it.each(CHECKED)('is refused without a valid proof: $subject', async (contract) => {
    expect(await codeOf(admitted(contract, undefined))).toBe('not_permitted');
    expect(await codeOf(admitted(contract, 'expired'))).toBe('session_ended');
    expect(refused).toEqual([
      { reason: 'unproven', subject: contract.subject, caller: 'console' },
      { reason: 'invalid', subject: contract.subject, caller: 'console' },
    ]);
  });

  it.each(CHECKED)('opens what its proofs open and nothing else: $subject', async (contract) => {
    const opened: string[] = [];
    for (const proof of Object.keys(PROOFS)) if ((await codeOf(admitted(contract, proof))) === null) opened.push(proof);
    expect(opened.toSorted()).toEqual(allowed(contract).toSorted());
  });

  it.each(CHECKED.filter(hasActor))('acts only as the proven actor: $subject', async (contract) => {
    const actors: Actor[] = [{ kind: 'ops' }, { kind: 'user', user: 8 as never }, { kind: 'key', key: 10 as never }];
    for (const proof of allowed(contract)) {
      for (const actor of actors) expect(await codeOf(admitted(contract, proof, { ...named(contract), actor }))).toBe('not_permitted');
      const isPerson = !proof.includes('key');
      const expected = isPerson ? { kind: 'user', user: OWN.user } : { kind: 'key', key: OWN.key };
      expect(await admitted(contract, proof)).toEqual({ ...named(contract), actor: expected, ...roleFor(contract, proof) });
      const claimed = { ...expected, address: '192.0.2.1', client: 'browser' };
      expect(await admitted(contract, proof, { ...named(contract), actor: claimed })).toEqual({
        ...named(contract),
        actor: claimed,
        ...roleFor(contract, proof),
      });
    }
  });

  it('trusts a service where the contract names it, and nowhere else', async () => {
    const trusting = RPCS.find(({ trusted }) => trusted?.includes('tuning'))!;
    const request = { ...named(trusting), actor: { kind: 'user', user: 7 } };
    const asked = (contract: RpcContract): Promise<unknown> => gate.admit({ contract, caller: 'tuning', proof: undefined, request });
    expect(await asked(trusting)).toEqual(request);
    const other = CHECKED.find(({ trusted }) => trusted === undefined)!;
    expect(await codeOf(asked(other))).toBe('not_permitted');
  });

  it.each(['password', 'role'] as const)('needs no proof where none is named: %s', async (kind) => {
    const contract = CONSOLES.find(({ proof }) => proof === (kind === 'password' ? 'carried' : 'role'))!;
    expect(await admitted(contract, undefined, { any: 1 })).toEqual({ any: 1 });
  });
});

describe('a member of a suspended account', () => {
  it.each(CHECKED.filter(({ proof, reads }) => (proof === 'member' || proof === 'owner') && reads !== true))(
    'may not change anything by $subject',
    async (contract) => {
      expect(await codeOf(admitted(contract, 'owner of a suspended account'))).toBe('account_suspended');
      expect(await codeOf(admitted(contract, 'viewer of a suspended account'))).toBe('not_permitted');
      expect(refused).toMatchObject([{ reason: 'role' }]);
    },
  );
});

describe('a noted refusal', () => {
  const by = { actor: { kind: 'user', user: OWN.user }, account: ACCOUNT };
  const contract = CHECKED.find(({ proof }) => proof === 'owner')!;

  it('names the proven actor and their own account', async () => {
    await codeOf(admitted(contract, 'viewer'));
    await codeOf(admitted(contract, 'member', { ...named(contract), account: 2 }));
    expect(refused).toMatchObject([
      { reason: 'role', by },
      { reason: 'foreign', by },
    ]);
  });

  it('includes refusals of handlers for roles', () => {
    const request = { ...named(contract), account: ACCOUNT, actor: by.actor };
    const note = (code: 'not_permitted' | 'account_not_found' | 'last_owner', call: object = {}): void =>
      gate.refused({ contract, caller: 'console', proof: 'member', request, ...call }, request, new ServiceError(code, 'No.'));
    note('not_permitted');
    note('account_not_found');
    note('last_owner');
    note('not_permitted', { caller: 'ops', proof: undefined });
    note('not_permitted', { contract: CONSOLES.find(({ proof }) => proof === 'carried')! });
    expect(refused).toEqual([
      { reason: 'role', subject: contract.subject, caller: 'console', by },
      { reason: 'foreign', subject: contract.subject, caller: 'console', by },
    ]);
  });
});

describe('an operator', () => {
  it.each(RPCS.filter(({ callers }) => callers.includes('ops')))('acts only as an operator: $subject', async (contract) => {
    const request = named(contract);
    const ask = (more: object): Promise<unknown> =>
      gate.admit({ contract, caller: 'ops', proof: undefined, request: { ...request, ...more } });
    const actor = hasActor(contract) ? { actor: { kind: 'ops' } } : {};
    expect(await ask({})).toEqual({ ...request, ...actor, ...roleFor(contract, 'owner') });
    expect(await codeOf(ask({ actor: { kind: 'user', user: 7 } }))).toBe('not_permitted');
  });
});
