import { expect, it } from 'vitest';
import { actorOf, doneOf, factsOf, objectOf } from './activity-words.js';

it('an action that nobody foresaw is shown in the words of the log', () => {
  expect(doneOf({ action: 'key.rotate' })).toBe('rotated the key');
  expect(doneOf({ action: 'adapter.train_again' })).toBe('adapter train again');
});

it('who did it is named also without a name', () => {
  const nameOf = (user: number): string | undefined => (user === 4 ? 'bob@example.com' : undefined);
  expect(actorOf({ actor: 'user', actor_name: null, actor_id: 4 }, nameOf)).toBe('bob@example.com');
  expect(actorOf({ actor: 'user', actor_name: null, actor_id: 5 }, nameOf)).toBe('Person 5');
  expect(actorOf({ actor: 'user', actor_name: 'ada@example.com', actor_id: 3 }, nameOf)).toBe('ada@example.com');
  expect(actorOf({ actor: 'key', actor_name: null, actor_id: 9 }, nameOf)).toBe('Key 9');
  expect(actorOf({ actor: 'ops', actor_name: 'npm start', actor_id: null }, nameOf)).toBe('The operator');
});

it('what is not known is left out', () => {
  expect(factsOf({ facts: { role: 'viewer', expires_at: null, requests_per_min: 60 } })).toBe('role: viewer, requests per min: 60');
});

it('what was changed is told, also of entries that kept no name', () => {
  const entry = { action: 'deployment.stop', object: 'deployment:50', object_name: null, actor_name: 'ada@example.com' };
  expect(objectOf(entry)).toBe('deployment-50');
  expect(objectOf({ ...entry, object_name: 'Chat' })).toBe('Chat (deployment-50)');
  expect(objectOf({ ...entry, action: 'alias.point', object: 'alias:qwen2.5:7b' })).toBe('qwen2.5:7b');
  expect(objectOf({ ...entry, action: 'key.revoke', object: 'key:12' })).toBe('key 12');
  const refused = { ...entry, action: 'call.refused', object: 'rpc:create-invitation' };
  expect([doneOf(refused), objectOf(refused)]).toEqual(['was refused', 'create invitation']);
  expect(objectOf({ ...entry, action: 'mcp_key.rotate', object: 'key:12', object_name: 'MCP' })).toBeNull();
  expect(objectOf({ ...entry, action: 'password.change', object: 'user:1', object_name: 'ada@example.com' })).toBeNull();
});
