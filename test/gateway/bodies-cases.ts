import type { Limits } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PublicContract } from './contract-form.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { type RawAnswer, readAnswers } from './raw-answer.js';
import { type RawClient, rawRequest } from './raw-client.js';
import { usageOf } from './scripted-runner.js';

const MIB = 1024 * 1024;
const WITHIN_MS = 30_000;

/** A key, and a deployment that it opens. */
interface Guest {
  readonly slug: string;
  readonly key: string;
}

/** Bodies by size, number, framing and pace at the door of one contract. */
export const describeBodies = (contract: PublicContract): void =>
  void describe(`request bodies at the ${contract.name} door`, () => {
    let door: Door;

    beforeAll(async () => {
      door = await Door.open({ contract, environment: { BODIES_BYTES_MAX: String(32 * MIB) } });
    });
    afterAll(() => door?.end());
    afterEach(() => door.reset());

    /** A body of exactly this many bytes. */
    const bodyOf = (bytes: number): string => {
      const body = (content: string): string => contract.body(door.slug, content);
      return body('x'.repeat(bytes - body('').length));
    };
    const saysOk = (): void => {
      door.runner.script = async (_start, writer) => {
        writer.events([{ k: 'text', x: 'ok', n: 1 }]);
        writer.events([{ k: 'fin', r: 'stop' }]);
        return usageOf(1);
      };
    };
    const ask = async (bytes: number): Promise<number> => {
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), bodyOf(bytes)));
      return answers[0]?.status ?? 0;
    };

    it('may have 8 MiB, and not a byte more', async () => {
      saysOk();
      expect(await ask(8 * MIB)).toBe(200);
      const prompt = door.runner.admitted.at(-1)?.req.messages[0]?.content[0];
      expect(prompt?.type === 'text' && prompt.text.length).toBeGreaterThan(8 * MIB - 200);
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), bodyOf(8 * MIB + 1)));
      contract.expectRefusal(answers[0]!, { status: 413, code: 'request_too_large' });
    });

    it('that are large reach a worker with every character', async () => {
      saysOk();
      const text = 'Größe "x"\n😀\\\u007f lorem ipsum. '.repeat(5_000);
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), contract.body(door.slug, text)));
      expect(answers[0]?.status).toBe(200);
      expect(door.runner.admitted.at(-1)?.req.messages).toEqual([{ role: 'user', content: [{ type: 'text', text }] }]);
    });

    /** A key and a deployment of another account. */
    const stranger = async (rest: Parameters<typeof door.rig.account>[1] & { key?: { limits: Limits } } = {}): Promise<Guest> => {
      const { key, ...of } = rest;
      const account = door.rig.account(undefined, of);
      const slug = `deployment-${door.rig.deployment(account.id).id}`;
      const guest = { slug, key: door.rig.key(account.id, key).value };
      const isKnown = async (): Promise<boolean> => {
        const { answers } = await door.converse(rawRequest(`/${slug}/v1/models`, [`X-API-Key: ${guest.key}`], '', 'GET'));
        return answers[0]?.status === 200;
      };
      await until('the gateway knows the key', isKnown, WITHIN_MS);
      return guest;
    };
    const headersOf = ({ key }: Guest, ...more: string[]): string[] => [...more, `X-API-Key: ${key}`, 'Content-Type: application/json'];
    /** A body of 8 MiB without its last byte. */
    const hostage = async (guest: Guest): Promise<RawClient> => {
      const whole = contract.body(guest.slug, 'x'.repeat(8 * MIB - contract.body(guest.slug, '').length));
      const client = await door.connect();
      client.send(rawRequest(door.path(guest.slug), headersOf(guest, `Content-Length: ${whole.length}`), whole.slice(0, -1)));
      await until('all is sent', () => client.socket.writableLength === 0 || client.received !== '', WITHIN_MS);
      return client;
    };

    it('of one account hold no more than its share', async () => {
      saysOk();
      const greedy = await stranger();
      const first = await hostage(greedy);
      const isRefused = async (): Promise<boolean> => {
        const client = await hostage(greedy);
        await until('an answer or none', () => client.received !== '' || client.socket.writableLength === 0, WITHIN_MS);
        const { answers } = await door.answersOn(client, 1);
        return answers[0]?.status === 429;
      };
      await until('its share is used', isRefused, WITHIN_MS);
      expect(await ask(8 * MIB)).toBe(200);
      // It may have been given up for its rate by then, but not for another's sake.
      expect(first.received).not.toMatch(/^HTTP\/1\.1 (429|503|529)/);
    });

    it('together get 503 above their memory, until some end', async () => {
      saysOk();
      const guests = [await stranger(), await stranger(), await stranger(), await stranger()];
      const uploads: (RawClient | undefined)[] = [];
      const hasNoRoom = async (): Promise<boolean> => {
        // A question that comes too early takes an upload's room, which is then refused in its place: another takes that up.
        for (const [i, guest] of guests.entries()) if (uploads[i]?.received !== '') uploads[i] = await hostage(guest);
        return (await ask(MIB)) === contract.statusOf({ status: 503, code: 'overloaded' });
      };
      await until('there is no room', hasNoRoom, WITHIN_MS);
      for (const client of uploads) client?.reset();
      await until('there is room again', async () => (await ask(MIB)) === 200, WITHIN_MS);
    });

    it('that stop arriving fail, and their connection closes', async () => {
      const client = await door.connect();
      client.send(rawRequest(door.path(), door.headers('Content-Length: 1000'), '{"model":'));
      await client.untilClosed(WITHIN_MS);
      expect(readAnswers(client.received).answers).toHaveLength(1);
      contract.expectRefusal(readAnswers(client.received).answers[0]!, { status: 408, code: 'request_timeout' });
    });

    it.each([
      ['in a minute', { requests_per_minute: 1 }, '1 requests per minute'],
      ['at once', { concurrent_requests: 1 }, '1 requests at once'],
    ])('are not read without requests left %s', async (_, limits, words) => {
      const limited = await stranger({ key: { limits } });
      const upload = rawRequest(door.path(limited.slug), headersOf(limited, 'Content-Length: 1000000'), '{');
      const first = (await door.connect()).send(upload);
      const refused = async (): Promise<RawAnswer | undefined> => (await door.converse(upload)).answers[0];
      // They come on two connections: whichever is first is the one that may.
      const second = await door.connect();
      second.send(upload);
      await until('one is refused', () => first.received + second.received !== '', WITHIN_MS);
      const answer = await refused();
      contract.expectRefusal(answer!, { status: 429, code: 'rate_limit_exceeded' });
      expect(answer?.body).toContain(words);
    });

    it('at once are limited by their account’s uploads', async () => {
      const few = await stranger({ uploads: 2 });
      const upload = rawRequest(door.path(few.slug), headersOf(few, 'Content-Length: 1000000'), '{');
      const first = (await door.connect()).send(upload);
      const { answers } = await door.converse(upload);
      contract.expectRefusal(answers[0]!, { status: 429, code: 'rate_limit_exceeded' });
      expect([first.received, answers[0]?.body]).toEqual(['', expect.stringContaining('1 request bodies at once')]);
    });

    it.each([
      ['empty objects in an unknown field', (): string => `,"anything":[${'{},'.repeat(2_700_000)}{}]`],
      ['numbers', (): string => `,"anything":[${'1,'.repeat(4_000_000)}1]`],
    ])('with millions of values are refused: %s', async (_, more) => {
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), `${door.body().slice(0, -1)}${more()}}`));
      expect(answers).toHaveLength(1);
      contract.expectRefusal(answers[0]!, { status: 400, code: 'invalid_json' });
    });

    it('that are large get errors as small ones do', async () => {
      saysOk();
      const junk = { anything: 'x'.repeat(MIB), more: Array.from({ length: 50_000 }, () => ({})) };
      expect((await door.converse(door.good(junk))).answers[0]?.status).toBe(200);
      expect(JSON.stringify(door.runner.admitted.at(-1)).length).toBeLessThan(2_000);
      const refusalOf = async (fields: object): Promise<string> => {
        const [answer] = (await door.converse(door.good(fields))).answers;
        expect(answer?.status).toBe(400);
        return answer?.body.replace(/,"request_id":"[^"]+"/, '') ?? '';
      };
      for (const fields of [{ temperature: 'hot' }, { model: 'nobody' }, { model: 'n'.repeat(1_000) }, { messages: [] }]) {
        expect(await refusalOf({ ...junk, ...fields })).toBe(await refusalOf(fields));
      }
      expect((await door.converse(door.good({ ...junk, model: `${door.account.slug}/demo-7b` }))).answers[0]?.status).toBe(200);
    });

    it.each(['logit_bias', 'metadata', 'anything'])('with hundreds of thousands of keys in %s fail', async (field) => {
      const many = Object.fromEntries(Array.from({ length: 400_000 }, (_, i) => [String(i), 1]));
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), door.body({ [field]: many })));
      expect(answers).toHaveLength(1);
      contract.expectRefusal(answers[0]!, { status: 400, code: 'invalid_json' });
    });

    it('that arrive in single bytes are read normally', async () => {
      const body = door.body();
      const client = (await door.connect()).send(rawRequest(door.path(), door.headers(`Content-Length: ${body.length}`)));
      client.socket.setNoDelay(true);
      for (const byte of body) {
        client.send(byte);
        await new Promise(setImmediate);
      }
      expect((await door.answersOn(client, 1)).answers[0]?.status).toBe(200);
    });

    /** A good request whose body comes in HTTP chunks of one size. */
    const chunked = (bytes: number, chunk: number): string => {
      const body = bodyOf(bytes);
      const chunks: string[] = [];
      for (let at = 0; at < body.length; at += chunk) {
        const piece = body.slice(at, at + chunk);
        chunks.push(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      }
      return rawRequest(door.path(), door.headers('Transfer-Encoding: chunked'), `${chunks.join('')}0\r\n\r\n`);
    };

    it.each([
      [8 * 1024, 1],
      [MIB, 64],
      [8 * MIB, 100],
      [8 * MIB, 1024],
    ])('of %i bytes in %i-byte chunks are read', async (bytes, chunk) => {
      saysOk();
      expect((await door.converse(chunked(bytes, chunk))).answers[0]?.status).toBe(200);
    });

    it('of a megabyte in chunks of one byte fail', async () => {
      const { answers, client } = await door.converse(chunked(MIB, 1));
      expect(answers).toHaveLength(1);
      contract.expectRefusal(answers[0]!, { status: 400, code: 'invalid_request' });
      await client.untilClosed(WITHIN_MS);
    });
  });
