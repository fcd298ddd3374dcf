import { SessionId } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { VoidSessions } from './void-sessions.js';

const ID = SessionId.parse('Zm9yLXRoZS1nb2xkZW4tMQ');
const OTHER = SessionId.parse('Zm9yLXRoZS1nb2xkZW4tMg');

it('voids tokens of ended and changed sessions', () => {
  const sessions = new VoidSessions(() => 0);
  sessions.put(`session:${ID}`, { id: ID, ver: 2, ended: true, until: 100 });
  sessions.put(`session:${OTHER}`, { id: OTHER, ver: 3, ended: false, until: 100 });
  expect([sessions.isVoid(ID, 1), sessions.isVoid(ID, 2), sessions.isVoid(ID, 3)]).toEqual([true, true, true]);
  expect([sessions.isVoid(OTHER, 2), sessions.isVoid(OTHER, 3)]).toEqual([true, false]);
  sessions.remove(`session:${OTHER}`);
  expect(sessions.isVoid(OTHER, 2)).toBe(false);
});

it('forgets sessions whose tokens have expired', () => {
  const clock = { now: 0 };
  const sessions = new VoidSessions(() => clock.now);
  sessions.put(`session:${ID}`, { id: ID, ver: 2, ended: true, until: 100 });
  clock.now = 101;
  sessions.put(`session:${OTHER}`, { id: OTHER, ver: 2, ended: true, until: 200 });
  expect(sessions.size).toBe(1);
  sessions.renew().swap();
  expect(sessions.size).toBe(0);
});
