import { type RpcContract, ServiceError } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { provideAccount } from './account.js';

/** Answers with these, one after the other. */
const answering = (...answers: readonly unknown[]): Parameters<typeof provideAccount>[0] => {
  const left = [...answers];
  const call = (_: RpcContract): Promise<unknown> => {
    const next = left.shift();
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  return { call } as unknown as Parameters<typeof provideAccount>[0];
};
const missing = new ServiceError('account_not_found', 'None.');

it('is found or created, also by two launchers', async () => {
  expect(await provideAccount(answering({ id: 1, slug: 'local' }))).toBe(1);
  expect(await provideAccount(answering(missing, { id: 2, slug: 'local' }))).toBe(2);
  expect(await provideAccount(answering(missing, new ServiceError('slug_taken', 'Taken.'), { id: 3, slug: 'local' }))).toBe(3);
});

it('that was deleted ends the start with advice', async () => {
  const deleted = { id: 1, slug: 'local', deleted_at: '2026-11-23T09:00:00.000Z' };
  await expect(provideAccount(answering(deleted))).rejects.toThrow(StartError);
  await expect(provideAccount(answering(deleted))).rejects.toThrow('another --data-dir');
});
