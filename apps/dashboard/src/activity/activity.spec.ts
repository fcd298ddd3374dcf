import { expect, it } from 'vitest';
import { activityCsv } from './activity-file.js';
import { questionOf } from './activity-filters.js';
import { targetOf } from './activity-target.js';
import { actionsOf, actionWords, actorOf, changesOf, doneOf, doneTo, factsOf } from './activity-words.js';

const ENTRY = {
  ...{
    id: 7,
    at: '2026-11-21T12:34:56.000Z',
    action: 'deployment.stop',
    actor: 'user' as const,
    actor_id: 4,
    actor_name: 'ada@example.com',
  },
  ...{ object: 'deployment:50', object_name: null, address: '192.0.2.7', client: 'curl/8', facts: {} },
};
const NAMES = {
  deployment: (id: number) => (id === 50 ? 'Chat' : undefined),
  key: (id: number) => (id === 12 ? 'Website' : undefined),
  person: (id: number) => (id === 3 ? 'bob@example.com' : undefined),
};

it('an unknown action is shown in the words of the log', () => {
  expect(doneOf({ action: 'key.rotate' })).toBe('rotated the key');
  expect(doneOf({ action: 'adapter.train_again' })).toBe('adapter train again');
  expect([doneTo({ action: 'mcp_key.create' }, 'MCP key'), doneTo({ action: 'key.create' }, 'ci')]).toEqual([
    'created the',
    'created the key',
  ]);
});

it('who did it is named also without a name', () => {
  const nameOf = (user: number): string | undefined => (user === 4 ? 'bob@example.com' : undefined);
  expect(actorOf({ actor: 'user', actor_name: null, actor_id: 4 }, nameOf)).toBe('bob@example.com');
  expect(actorOf({ actor: 'user', actor_name: null, actor_id: 5 }, nameOf)).toBe('Person 5');
  expect(actorOf({ actor: 'user', actor_name: 'ada@example.com', actor_id: 3 }, nameOf)).toBe('ada@example.com');
  expect(actorOf({ actor: 'user', actor_name: 'ada@example.com', actor_id: 3, actor_person: 'Ada' }, nameOf)).toBe('Ada');
  expect(actorOf({ actor: 'key', actor_name: null, actor_id: 9 }, nameOf)).toBe('Key 9');
  expect(actorOf({ actor: 'ops', actor_name: 'npm start', actor_id: null }, nameOf)).toBe('Operator');
});

it('details say what was before and after', () => {
  expect(factsOf({ facts: { role: 'viewer', expires_at: null, requests_per_min: 60 } })).toBe('role: viewer, requests per min: 60');
  expect(changesOf({ facts: { from: 'member', role: 'owner' } })).toEqual([['role', 'member → owner']]);
  expect(changesOf({ facts: { expires_at: 'never → 2026-12-01T00:00:00.000Z' } })).toEqual([
    ['expires at', 'never → 2026-12-01 00:00:00 UTC'],
  ]);
});

it('a target is named and linked though its name was not kept', () => {
  expect(targetOf(ENTRY, NAMES)).toEqual({ text: 'Chat (deployment-50)', path: '/deployments/deployment-50' });
  expect(targetOf({ ...ENTRY, object: 'deployment:51' }, NAMES)).toEqual({ text: 'deployment-51', path: null });
  expect(targetOf({ ...ENTRY, object: 'key:12' }, NAMES)).toEqual({ text: 'Website', path: '/api-keys/12' });
  expect(targetOf({ ...ENTRY, object: 'user:3' }, NAMES)).toEqual({ text: 'bob@example.com', path: '/members?q=bob%40example.com' });
  const alias = { ...ENTRY, action: 'alias.point', object: 'alias:qwen2.5:7b' };
  expect(targetOf({ ...alias, facts: { deployment: 'deployment-2' } }, NAMES)).toEqual({
    text: 'qwen2.5:7b',
    path: '/deployments/deployment-2',
  });
  expect(targetOf(alias, NAMES)?.path).toBe('/deployments?q=qwen2.5%3A7b');
  expect(targetOf({ ...ENTRY, action: 'mcp_key.rotate', object: 'key:12' }, NAMES)?.path).toBe('/api-keys?tab=mcp');
  expect(targetOf({ ...ENTRY, action: 'call.refused', object: 'rpc:create-invitation' }, NAMES)).toEqual({
    ...{ text: 'create invitation', path: null },
  });
});

it('what was done to data sets, jobs and adapters leads to them', () => {
  const of = (action: string, object: string, name: string | null = 'support'): unknown =>
    targetOf({ ...ENTRY, action, object, object_name: name }, NAMES);
  expect(of('dataset.upload', 'dataset:4')).toEqual({ text: 'support', path: '/data-sets/support' });
  expect(of('dataset.delete', 'dataset:4')).toEqual({ text: 'support', path: null });
  expect(of('job.create', 'job:9')).toEqual({ text: 'support', path: '/fine-tuning/9' });
  expect(of('adapter.export', 'adapter:2', null)).toEqual({ text: 'adapter 2', path: '/fine-tuning/adapters/2' });
  expect(actionsOf(['adapter'])).toContain('adapter.override_gate');
});

it('filters of the address become a question, without what the log would refuse', () => {
  const now = Date.parse('2026-11-21T12:34:56Z');
  const state = { actor: 'user:3', action: 'key.rotate', object: 'key:12', range: '24h' as const, from: null, to: null };
  expect(questionOf(state, now)).toEqual({
    ...{ from: '2026-11-20T12:00:00.000Z', object: 'key:12', action: 'key.rotate', by: { kind: 'user', id: 3 } },
  });
  expect(questionOf({ ...state, object: 'alias:qwen2.5:7b' }, now).object).toBe('alias:qwen2.5:7b');
  expect(questionOf({ ...state, actor: 'ops', action: 'A B', object: '12' }, now)).toEqual({
    ...{ from: '2026-11-20T12:00:00.000Z', by: { kind: 'ops' } },
  });
});

it('actions are offered by kind, in words', () => {
  expect(actionsOf(['alias'])).toEqual(['alias', 'alias.point', 'alias.remove']);
  expect([actionWords('mcp_key'), actionWords('alias.point')]).toEqual(['All of mcp key', 'Pointed the alias']);
});

it('a file holds each entry with its details', () => {
  const [head, line] = activityCsv([{ ...ENTRY, facts: { role: 'viewer' } }]).split('\r\n');
  expect(head).toBe('id,at,actor,actor_id,actor_name,action,object,object_name,details,address,client');
  expect(line).toBe(
    '7,2026-11-21T12:34:56.000Z,user,4,ada@example.com,deployment.stop,deployment:50,,"{""role"":""viewer""}",192.0.2.7,curl/8',
  );
});
