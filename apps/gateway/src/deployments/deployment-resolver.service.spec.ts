import type { AccountFeedRecord, ApiKeyFeedRecord, DeploymentFeedRecord, ServiceError } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { KeyIndex } from '../auth/key-index.js';
import type { Caller } from '../auth/key-verifier.service.js';
import { DeploymentIndex, type DeploymentName, DeploymentResolver } from './deployment-resolver.service.js';

const account = (id: number, slug: string): AccountFeedRecord => ({ type: 'account', id, slug, state: 'active' }) as AccountFeedRecord;
const deployment = (id: number, changes: object = {}): DeploymentFeedRecord => {
  const facts = { type: 'deployment', id, account: 1, desired: 'ready', state: 'ready', rev: 1, caps: [], context: null };
  return Object.assign(facts, changes) as unknown as DeploymentFeedRecord;
};
const alias = (accountId: number, name: string, id: number): DeploymentFeedRecord =>
  ({ type: 'alias', account: accountId, name, deployment: id }) as DeploymentFeedRecord;

describe('a deployment named by a path', () => {
  const keys = new KeyIndex();
  const index = new DeploymentIndex();
  const ready = new Set<number>();
  let current: boolean;
  const resolver = new DeploymentResolver(keys, index, { isReady: (id) => ready.has(id), isCurrent: () => current });
  const caller = (changes: Partial<ApiKeyFeedRecord> = {}): Caller => ({
    account: account(1, 'acme'),
    key: { type: 'key', id: 1, account: 1, deployments: null, ...changes } as ApiKeyFeedRecord,
  });

  beforeEach(() => {
    current = true;
    ready.clear();
    const known = keys.renew();
    known.put('account:1', account(1, 'acme'));
    known.put('account:2', account(2, 'other'));
    known.swap();
    const served = index.renew();
    served.put('deployment:10', deployment(10));
    served.put('deployment:20', deployment(20, { account: 2 }));
    served.put('alias:1', alias(1, 'qwen2.5-7b', 10));
    served.put('alias:2', alias(2, 'theirs', 20));
    served.swap();
  });

  const refusal = (name: DeploymentName, who = caller()): ServiceError => {
    try {
      resolver.resolve(name, who);
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error('It was found.');
  };

  it('is found by slug, or account and alias', () => {
    expect(resolver.resolve({ deployment: 'deployment-10' }, caller()).facts.id).toBe(10);
    expect(resolver.resolve({ account: 'acme', alias: 'qwen2.5-7b' }, caller())).toMatchObject({
      facts: { id: 10 },
      slug: 'deployment-10',
    });
  });

  it.each<[string, DeploymentName]>([
    ['is not there', { deployment: 'deployment-11' }],
    ["is another account's", { deployment: 'deployment-20' }],
    ["is another account's alias", { account: 'other', alias: 'theirs' }],
    ['is an alias under a foreign account', { account: 'other', alias: 'qwen2.5-7b' }],
    ['is an unknown alias', { account: 'acme', alias: 'nope' }],
    ['is an unknown account', { account: 'unknown', alias: 'qwen2.5-7b' }],
    ['has id 0', { deployment: 'deployment-0' }],
    ['has a leading zero', { deployment: 'deployment-010' }],
    ['has thirty digits', { deployment: `deployment-${'1'.repeat(30)}` }],
    ['is in the wrong case', { deployment: 'Deployment-10' }],
    ['holds a slash', { deployment: 'deployment-10/../x' }],
    ['holds a line break', { account: 'acme', alias: 'a\r\nPUB x 0' }],
    ['holds a wildcard', { account: '*', alias: '>' }],
    ['is too long', { account: 'acme', alias: 'a'.repeat(9_000) }],
    ['is empty', { account: '', alias: '' }],
  ])('that %s gets the same error as others', (_, name) => {
    const expected = refusal({ deployment: 'deployment-999' });
    const error = refusal(name);
    expect({ code: error.code, message: error.message, param: error.param }).toEqual({
      code: 'model_not_found',
      message: expected.message,
      param: expected.param,
    });
  });

  it('does not exist for keys without access', () => {
    expect(refusal({ deployment: 'deployment-10' }, caller({ deployments: [11 as never] })).code).toBe('model_not_found');
    expect(resolver.resolve({ deployment: 'deployment-10' }, caller({ deployments: [10 as never] })).facts.id).toBe(10);
    index.put('deployment:10', deployment(10, { state: 'deleting', desired: 'stopped' }));
    expect(refusal({ deployment: 'deployment-10' }).code).toBe('model_not_found');
  });

  it('reports that it is stopped or stopping', () => {
    index.put('deployment:10', deployment(10, { desired: 'stopped', state: 'ready' }));
    expect(refusal({ deployment: 'deployment-10' }).code).toBe('deployment_stopped');
  });

  it.each(['pending', 'loading', 'failed', 'stopped', 'stopping'])('that is %s needs a ready runner', (state) => {
    index.put('deployment:10', deployment(10, { state }));
    expect(refusal({ deployment: 'deployment-10' }).code).toBe('deployment_unavailable');
    ready.add(10);
    expect(resolver.resolve({ deployment: 'deployment-10' }, caller()).facts.id).toBe(10);
  });

  it('is not reported missing without a current feed', () => {
    current = false;
    expect(refusal({ deployment: 'deployment-11' }).code).toBe('deployment_unavailable');
    expect(refusal({ deployment: 'deployment-20' }).code).toBe('deployment_unavailable');
    expect(resolver.resolve({ deployment: 'deployment-10' }, caller()).facts.id).toBe(10);
  });

  it('has its slug, aliases and account/alias as names', () => {
    index.put('alias:3', alias(1, 'second', 10));
    const { isNamed } = resolver.resolve({ deployment: 'deployment-10' }, caller());
    for (const model of ['deployment-10', 'qwen2.5-7b', 'acme/qwen2.5-7b', 'second']) expect(isNamed(model)).toBe(true);
    for (const model of ['deployment-1', 'theirs', 'other/theirs', 'other/qwen2.5-7b', 'acme/', '']) expect(isNamed(model)).toBe(false);
  });

  it('loses an alias that points elsewhere now', () => {
    index.put('deployment:11', deployment(11));
    index.put('alias:1', alias(1, 'qwen2.5-7b', 11));
    expect(resolver.resolve({ account: 'acme', alias: 'qwen2.5-7b' }, caller()).facts.id).toBe(11);
    index.remove('alias:1');
    expect(refusal({ account: 'acme', alias: 'qwen2.5-7b' }).code).toBe('model_not_found');
  });
});
