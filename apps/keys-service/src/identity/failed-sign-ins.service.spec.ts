import type { AuditLog, Transactions } from '@slipway/database';
import { expect, it } from 'vitest';
import { FailedSignIns } from './failed-sign-ins.service.js';
import type { MembershipsRepository } from './memberships.repository.js';
import type { PeopleRepository } from './people.repository.js';

it('a failed sign-in that the audit log does not take stands in the log, without the address', async () => {
  const said: unknown[] = [];
  const transactions = { run: () => Promise.reject(new Error('the database is away')) } as unknown as Transactions;
  const warn = (...line: unknown[]): void => void said.push(line);
  const failures = new FailedSignIns(transactions, {} as PeopleRepository, {} as MembershipsRepository, {} as AuditLog, { warn } as never);
  failures.note('ada@example.com', 'session.sign_in_failed', { origin: {} });
  await new Promise(setImmediate);
  expect(said).toEqual([[{ action: 'session.sign_in_failed', err: new Error('the database is away') }, 'audit.sign_in_unrecorded']]);
});
