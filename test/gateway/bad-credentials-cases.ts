import { randomBytes } from 'node:crypto';
import { formatKey } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import type { PublicContract } from './contract-form.js';
import { closed, expectRow, kept, type Row } from './expect-row.js';
import { unknownKey, until } from './gateway-rig.js';
import { withoutIds } from './raw-answer.js';
import { RawClient, rawRequest } from './raw-client.js';

const INVALID = [401, 'invalid_api_key'] as const;
const MISSING = [401, 'missing_api_key'] as const;
const AMBIGUOUS = [400, 'ambiguous_credentials'] as const;
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const SESSION = `${base64({ alg: 'none' })}.${base64({ sub: '1' })}.`;

/** Invalid keys, which all get the same error. */
const NO_KEYS: readonly (readonly [what: string, text: string])[] = [
  ['an unknown key', unknownKey('nobody')],
  ['a key of another environment', formatKey('dep', randomBytes(32))],
  ['wrong check characters', `${unknownKey('nobody').slice(0, -1)}!`],
  ['a key that is too short', 'svc_dep_short'],
  ['a key of 10 kB', `svc_dep_${'x'.repeat(10_000)}`],
  ['a blank inside', `${unknownKey('a').slice(0, 20)} ${unknownKey('a').slice(20)}`],
  ['a tab inside', `${unknownKey('a').slice(0, 20)}\t${unknownKey('a').slice(20)}`],
  ['quotes around', `"${unknownKey('a')}"`],
  ['letters beyond ASCII', 'svc_dep_schlüssel'],
  ['two keys with a comma', `${unknownKey('a')}, ${unknownKey('b')}`],
  ['SQL', "' OR 1=1 --"],
];

/** Keys that no request may succeed with, in either header. */
const INVALID_ROWS: Row[] = NO_KEYS.flatMap(([what, text]): Row[] => [
  kept(`${what}, as X-API-Key`, (d) => d.with(`X-API-Key: ${text}`), INVALID),
  kept(`${what}, as a bearer`, (d) => d.with(`Authorization: Bearer ${text}`), INVALID),
]);

const ROWS: Row[] = [
  kept('no key', (d) => d.with(), MISSING),
  kept(
    'a key in the query',
    (d) => rawRequest(`${d.path()}?api_key=${d.key}&key=${d.key}`, ['Content-Type: application/json'], d.body()),
    MISSING,
  ),
  kept('a key in a cookie', (d) => d.with(`Cookie: key=${d.key}`), MISSING),
  kept('an empty bearer', (d) => d.with('Authorization: Bearer '), INVALID),
  kept('an empty X-API-Key', (d) => d.with('X-API-Key: '), INVALID),
  kept('the scheme Basic', (d) => d.with(`Authorization: Basic ${Buffer.from(`key:${d.key}`).toString('base64')}`), INVALID),
  kept('the scheme Token', (d) => d.with(`Authorization: Token ${d.key}`), INVALID),
  kept('a key without a scheme', (d) => d.with(`Authorization: ${d.key}`), INVALID),
  kept(
    'two different keys, both good',
    (d) => d.with(`X-API-Key: ${d.key}`, `Authorization: Bearer ${d.rig.key(d.account.id).value}`),
    AMBIGUOUS,
  ),
  kept('two different keys, one good', (d) => d.with(`X-API-Key: ${d.key}`, `Authorization: Bearer ${unknownKey('x')}`), AMBIGUOUS),
  kept('X-API-Key twice', (d) => d.with(`X-API-Key: ${d.key}`, `X-API-Key: ${d.key}`), AMBIGUOUS),
  kept('Authorization twice', (d) => d.with(`Authorization: Bearer ${d.key}`, `Authorization: Bearer ${d.key}`), AMBIGUOUS),
  kept('an MCP key that exists', (d) => d.with(`X-API-Key: ${d.rig.key(d.account.id, { kind: 'mcp' }).value}`), [
    403,
    'insufficient_scope',
  ]),
  kept('an MCP key that was never issued', (d) => d.with(`Authorization: Bearer ${formatKey('mcp', randomBytes(32))}`), [
    403,
    'insufficient_scope',
  ]),
  kept('a session token', (d) => d.with(`Authorization: Bearer ${SESSION}`), INVALID),
  kept('a bad key and a body that is no JSON', (d) => rawRequest(d.path(), ['X-API-Key: nope'], '{{{'), INVALID),
  kept('a bad key and a deployment that does not exist', (d) => rawRequest(d.path('deployment-99999'), ['X-API-Key: nope']), INVALID),
  closed('a bad key and a body of a megabyte', (d) => rawRequest(d.path(), ['X-API-Key: nope'], 'x'.repeat(1_000_000)), INVALID),
];

/** Keys, good and bad, in every form at the door of one contract. */
export function describeCredentials(contract: PublicContract): void {
  describe(`credentials at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract });
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    it.each([...ROWS, ...INVALID_ROWS])('$sends: $refusal, and the connection is $connection', (row) => expectRow(door, row));

    const refusals = async (keys: readonly string[]): Promise<Set<string>> => {
      const seen = new Set<string>();
      for (const key of keys) {
        const { answers } = await door.converse(door.with(`X-API-Key: ${key}`));
        seen.add(withoutIds(answers[0]!));
      }
      return seen;
    };
    const untilRefused = (key: string): Promise<void> =>
      until('the key is refused', async () => (await door.converse(door.with(`X-API-Key: ${key}`))).answers[0]?.status === 401, 30_000);
    const untilGood = (key: string): Promise<void> =>
      until('the key is good', async () => (await door.converse(door.with(`X-API-Key: ${key}`))).answers[0]?.status === 200, 30_000);

    it('invalid keys of every kind get one response', async () => {
      const revoked = door.rig.key(door.account.id);
      const rotated = door.rig.key(door.account.id);
      const expired = door.rig.key(door.account.id, { expires: Date.now() - 1_000 });
      for (const { value } of [revoked, rotated]) await untilGood(value);
      door.rig.keys.put(`key:${revoked.id}`, { ...revoked.record, state: 'revoked' } as never);
      door.rig.keys.put(`key:${rotated.id}`, { ...rotated.record, mac: randomBytes(32).toString('base64url') } as never);
      for (const { value } of [revoked, rotated]) await untilRefused(value);
      const keys = [revoked, rotated, expired].map(({ value }) => value);
      expect([...(await refusals([...keys, ...NO_KEYS.map(([, text]) => text)]))]).toHaveLength(1);
    });

    it.each<[string, (key: string) => string[]]>([
      ['X-API-Key', (key) => [`X-API-Key: ${key}`]],
      ['x-api-key, with blanks around', (key) => [`x-api-key:   ${key}  `]],
      ['Bearer', (key) => [`Authorization: Bearer ${key}`]],
      ['bearer', (key) => [`authorization: bearer ${key}`]],
      ['BEARER, with blanks', (key) => [`AUTHORIZATION: BEARER    ${key}`]],
      ['both headers with the same key', (key) => [`X-API-Key: ${key}`, `Authorization: Bearer ${key}`]],
      ['X-API-Key beside an empty bearer', (key) => [`X-API-Key: ${key}`, 'Authorization: Bearer ']],
    ])('a key by %s is good', async (_, headers) => {
      expect((await door.converse(door.with(...headers(door.key)))).answers[0]?.status).toBe(200);
    });

    it('a key revoked during its upload starts nothing', async () => {
      const { id, value, record } = door.rig.key(door.account.id);
      await untilGood(value);
      const body = door.body();
      const client = await door.connect();
      client.send(
        rawRequest(
          door.path(),
          [`X-API-Key: ${value}`, 'Content-Type: application/json', `Content-Length: ${body.length}`],
          body.slice(0, 20),
        ),
      );
      // The gateway reads its connections in turn: once it has refused this one, it has seen the one before.
      door.rig.keys.put(`key:${id}`, { ...record, state: 'revoked' } as never);
      await untilRefused(value);
      // Only now: what asked whether the key is refused was let in until it was.
      const started = door.runner.admitted.length;
      client.send(body.slice(20));
      const { answers } = await door.answersOn(client, 1);
      contract.expectRefusal(answers[0]!, { status: 401, code: 'invalid_api_key' });
      expect(door.runner.admitted).toHaveLength(started);
    });

    it('without keys-service, unknown keys get 503, known ones work', async () => {
      door.rig.keys.stop();
      try {
        const unknown = door.with(`X-API-Key: ${unknownKey('made meanwhile')}`);
        await until('the absence is known', async () => (await door.converse(unknown)).answers[0]?.status === 503, 30_000);
        await door.expectRefused(unknown, { status: 503, code: 'auth_unavailable' });
        await door.expectRefused(door.with('X-API-Key: nope'), { status: 401, code: 'invalid_api_key' });
        expect((await door.converse(door.good())).answers[0]?.status).toBe(200);
      } finally {
        door.rig.keys.start();
      }
      await untilRefused(unknownKey('made meanwhile'));
    });
  });

  describe(`guesses at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract, environment: { INVALID_KEYS_PER_S: '1' } });
    });
    afterAll(() => door?.end());

    it('too many invalid keys get 429, valid ones pass', async () => {
      const client = await RawClient.open(door.gateway.port);
      const guess = door.with('X-API-Key: nope');
      const codes: number[] = [];
      while (codes.length < 200 && codes.at(-1) !== 429) {
        client.send(guess);
        const { answers } = await door.answersOn(client, codes.length + 1);
        codes.push(answers.at(-1)?.status ?? 0);
      }
      client.destroy();
      expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
      expect(codes.at(-1)).toBe(429);
      await expectRow(
        door,
        kept('one guess more', () => guess, [429, 'rate_limit_exceeded']),
      );
    });
  });
}
