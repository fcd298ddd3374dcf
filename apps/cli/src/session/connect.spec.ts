import { expect, it } from 'vitest';
import { connectedWithinMs } from './connect.js';

it('gives each server of a cluster time to be found away', () => {
  expect(connectedWithinMs('nats://a:4222')).toBe(5_000);
  expect(connectedWithinMs('nats://a:4222,nats://b:4222,nats://c:4222')).toBe(15_000);
});
