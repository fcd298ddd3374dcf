import { DeploymentId, type DeploymentView, KeyId, type KeyView, type UsageRow } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { expiringSoon, needsAttention } from './attention-panels.js';
import { type AccountProgress, isSetUp, isStarting, progressOf } from './checklist.js';
import { mostFailing, slowest } from './standouts.js';

const NOTHING: AccountProgress = { deployments: [], keys: [], requests: 0, people: 1, agentSeen: false, hasAdapter: false };
const deployment = (fields: Partial<Omit<DeploymentView, 'id'>>): DeploymentView => ({
  ...{ id: DeploymentId.parse(1), name: 'one', aliases: [], source: { kind: 'file', path: '/models/a.gguf' } },
  ...{ desired: 'ready', state: 'ready', reason: null, detail: null, progress: null },
  ...{ rev: 1, serving_rev: 1, replicas: 1, ready_replicas: 1, slots: 4 },
  ...fields,
});
const key = (fields: Partial<Omit<KeyView, 'id'>> & { readonly id?: number }): KeyView => ({
  ...{ name: 'one', hint: 'svc_dev_AbCd', state: 'active', created_at: '' },
  ...fields,
  id: KeyId.parse(fields.id ?? 1),
});

describe('the checklist', () => {
  it('has every step open in a new account', () => {
    expect(progressOf(NOTHING)).toEqual({ deploy: 'open', key: 'open', request: 'open', team: 'open', agent: 'open', tune: 'open' });
  });

  it('claims nothing before the figures have come', () => {
    const progress = progressOf({ deployments: null, keys: null, requests: null, people: null, agentSeen: null, hasAdapter: null });
    expect(new Set(Object.values(progress))).toEqual(new Set(['unknown']));
    expect([isSetUp(progress), isStarting(progress)]).toEqual([false, false]);
  });

  it('counts a deployment once it serves, and a key while it works', () => {
    expect(progressOf({ ...NOTHING, deployments: [{ state: 'loading' }] }).deploy).toBe('open');
    expect(progressOf({ ...NOTHING, deployments: [{ state: 'failed' }, { state: 'ready' }] }).deploy).toBe('done');
    expect(progressOf({ ...NOTHING, keys: [{ state: 'revoked' }] }).key).toBe('open');
  });

  it('has no step of fine-tuning where nothing trains', () => {
    expect(progressOf({ ...NOTHING, hasAdapter: undefined }).tune).toBe('absent');
    expect(progressOf({ ...NOTHING, hasAdapter: true }).tune).toBe('done');
  });

  it('is complete without a team and without an agent', () => {
    const progress = progressOf({ ...NOTHING, deployments: [{ state: 'ready' }], keys: [{ state: 'active' }], requests: 1 });
    expect(isSetUp(progress)).toBe(true);
  });
});

describe('what needs attention', () => {
  it('lists failed, degraded and waiting deployments in this order', () => {
    const states = ['ready', 'pending', 'degraded', 'stopped', 'failed', 'loading'] as const;
    const list = needsAttention(states.map((state) => deployment({ state })));
    expect(list.map(({ state }) => state)).toEqual(['failed', 'degraded', 'pending']);
  });

  it('lists a failed update beside a serving revision', () => {
    const failing = deployment({ rev: 3, serving_rev: 2, reason: 'model_missing' });
    expect(needsAttention([failing, deployment({ rev: 3, serving_rev: 2 })])).toEqual([failing]);
  });

  it('lists keys that end within 14 days, the next one first', () => {
    const now = Date.parse('2026-11-25T00:00:00Z');
    const keys = [
      key({ id: 1, expires_at: '2026-12-08T00:00:00.000Z' }),
      key({ id: 2, expires_at: '2026-11-26T00:00:00.000Z' }),
      key({ id: 3, expires_at: '2026-12-30T00:00:00.000Z' }),
      key({ id: 4, expires_at: '2026-11-26T00:00:00.000Z', state: 'revoked' }),
      key({ id: 5, expires_at: '2026-11-24T00:00:00.000Z' }),
      key({ id: 6, expires_at: null }),
    ];
    expect(expiringSoon(keys, now).map(({ id }) => id)).toEqual([2, 1]);
  });
});

describe('deployments that stand out', () => {
  const row = (deployment: number, requests: number, errors: number, p95?: number): UsageRow =>
    ({ deployment, requests, errors, ...(p95 !== undefined && { latency: { ttft_ms: { p50: 1, p95, p99: p95 } } }) }) as UsageRow;
  const rows = [row(1, 10, 1, 200), row(2, 4, 2, 900), row(3, 5, 0)];

  it('by errors are ranked by their share of requests', () => {
    expect(mostFailing(rows).map(({ deployment, value }) => [deployment, value])).toEqual([
      [2, 0.5],
      [1, 0.1],
    ]);
  });

  it('by speed are those with the slowest first token', () => {
    expect(slowest(rows).map(({ deployment, value }) => [deployment, value])).toEqual([
      [2, 900],
      [1, 200],
    ]);
  });
});
