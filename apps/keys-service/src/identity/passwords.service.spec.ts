import type { AuditLog, Transactions } from '@slipway/database';
import { expect, it } from 'vitest';
import type { AttemptsRepository, AttemptSource } from './attempts.repository.js';
import type { MembershipsRepository } from './memberships.repository.js';
import type { PasswordHasher } from './password-hasher.js';
import { FailedSignIns, PasswordsService } from './passwords.service.js';
import type { PeopleRepository } from './people.repository.js';

it('logs a failed sign-in that could not be audited', async () => {
  const logged: unknown[] = [];
  const transactions = { run: () => Promise.reject(new Error('the database is away')) } as unknown as Transactions;
  const warn = (...line: unknown[]): void => void logged.push(line);
  const failures = new FailedSignIns(transactions, {} as PeopleRepository, {} as MembershipsRepository, {} as AuditLog, { warn } as never);
  failures.note('ada@example.com', 'session.sign_in_failed', { origin: {} });
  await new Promise(setImmediate);
  expect(logged).toEqual([[{ action: 'session.sign_in_failed', err: new Error('the database is away') }, 'audit.sign_in_unrecorded']]);
});

it('a flood of attempts leaves the database to known browsers', async () => {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const attempts = {
    begin: (email: string) => {
      began.push(email);
      return new Promise((end) => ends.push(() => end({ isFirst: false, isKnown: false })));
    },
  } as unknown as AttemptsRepository;
  const transactions = { read: () => Promise.resolve(null) } as unknown as Transactions;
  const hasher = { hash: () => Promise.resolve('a hash') } as unknown as PasswordHasher;
  const passwords = new PasswordsService(transactions, {} as PeopleRepository, attempts, hasher, {} as FailedSignIns);
  const check = (email: string, source: AttemptSource) => passwords.check({ email, password: 'x' }, source);
  const flood = Array.from({ length: 40 }, (_, n) => check(`flood ${n}`, { origin: { address: `198.51.${n}.1` } }));
  const known = check('ada', { origin: { address: '192.0.2.7' }, browser: 'a token' });
  await new Promise(setImmediate);
  expect(began).toEqual(['flood 0', 'flood 1', 'flood 2', 'flood 3']);
  ends.shift()?.();
  await new Promise(setImmediate);
  expect(began[4]).toBe('ada');
  for (let end = ends.shift(); end; end = ends.shift()) {
    end();
    await new Promise(setImmediate);
  }
  await Promise.all([known, ...flood]);
});
