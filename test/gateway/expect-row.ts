import { expect } from 'vitest';
import { chatContract } from './chat-contract.js';
import type { PublicContract } from './contract-form.js';
import type { Door } from './door.js';
import { messagesContract } from './messages-contract.js';
import { type Conversation, readAnswers } from './raw-answer.js';
import type { RawClient } from './raw-client.js';
import { responsesContract } from './responses-contract.js';

/** Every contract behind the door: each table runs once for each. The first one's form is that of answers which belong to none. */
export const CONTRACTS: readonly [PublicContract, ...PublicContract[]] = [chatContract, messagesContract, responsesContract];

const WITHIN_MS = 30_000;

/**
 * One input of a table: what a client sends, the one answer that it gets (its status as chat has it), and what becomes of the
 * connection: `kept` = the next request on it is answered, `closed` = the server ends it and says nothing more.
 */
export interface Row {
  readonly sends: string;
  readonly bytes: (door: Door) => string | Buffer;
  readonly refusal: readonly [status: number, code: string];
  readonly connection: 'kept' | 'closed';
  /** Nothing in it belongs to a contract, so it is answered in the form of the first one. */
  readonly isAnywhere?: boolean;
  /** The answer comes without its body. */
  readonly headOnly?: boolean;
}

/** A row whose connection is kept. */
export const kept = (sends: Row['sends'], bytes: Row['bytes'], refusal: Row['refusal']): Row => ({
  sends,
  bytes,
  refusal,
  connection: 'kept',
});
/** A row whose connection is closed. */
export const closed = (sends: Row['sends'], bytes: Row['bytes'], refusal: Row['refusal']): Row => ({
  sends,
  bytes,
  refusal,
  connection: 'closed',
});

/** The same row, of which nothing belongs to a contract. */
export const anywhere = (row: Row): Row => ({ ...row, isAnywhere: true });

/** The rows to try at a contract's door. What belongs to no contract is tried at the first one's alone. */
export const rowsAt = (contract: PublicContract, rows: readonly Row[]): Row[] =>
  rows.filter(({ isAnywhere }) => !isAnywhere || contract === CONTRACTS[0]);

/** Tries one row of a table: exactly this answer, nothing started, the line in the log, the client's class, the connection's fate. */
export async function expectRow(door: Door, row: Row): Promise<void> {
  const { contract, runner, gateway } = door;
  const [usual, code] = row.refusal;
  const refusal = { status: usual, code };
  const status = contract.statusOf(refusal);
  const isKept = row.connection === 'kept';
  const started = runner.admitted.length;
  const { client } = await door.converse(row.bytes(door), 1, row.headOnly);
  const { answers } = isKept ? await expectKept(door, client, row) : await expectClosed(client, row);
  const answer = answers[0]!;
  expect(runner.admitted.length - started).toBe(isKept ? 1 : 0);
  expect(await gateway.lineOf(answer.headers.get('x-request-id') ?? 'none')).toMatchObject({ event: 'http.request', status, error: code });
  if (row.headOnly) {
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: '' });
    return;
  }
  contract.expectRefusal(answer, refusal);
  expect(answer.body).not.toMatch(/canary|svc_dep_[0-9A-Za-z]{5}|at .*:\d+:\d+/);
  await contract.expectRaised(answer, refusal);
}

/** The next request on the connection is answered, and nothing was said in between. */
async function expectKept(door: Door, client: RawClient, { headOnly }: Row): Promise<Conversation> {
  client.send(door.good());
  const conversation = await door.answersOn(client, 2, headOnly);
  expect(conversation.answers.map(({ status }) => status).slice(1)).toEqual([200]);
  expect(conversation.rest).toBe('');
  return conversation;
}

async function expectClosed(client: RawClient, { headOnly }: Row): Promise<Conversation> {
  const conversation = readAnswers(await client.untilClosed(WITHIN_MS), headOnly);
  expect(conversation.answers).toHaveLength(1);
  expect(conversation.rest).toBe('');
  expect(conversation.answers[0]?.headers.get('connection')).toBe('close');
  return conversation;
}
