import { expect, it } from 'vitest';
import { actorOf, doneOf, factsOf } from './activity-words.js';

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
