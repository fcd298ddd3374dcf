import type { AuditLog, Transactions } from '@slipway/database';
import { expect, it } from 'vitest';
import { FailedSignIns } from './passwords.service.js';
import type { MembershipsRepository } from './memberships.repository.js';
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
