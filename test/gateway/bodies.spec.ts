import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { CONTRACTS } from './public-contract.js';
import { type RawClient, rawRequest } from './raw-client.js';
import { usageOf } from './scripted-runner.js';

const MIB = 1024 * 1024;
const WITHIN_MS = 30_000;

describe.each(CONTRACTS)('request bodies at the $name door', (contract) => {
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

  it('together hold no more than they may: further ones are told to come back, and can when others are done', async () => {
    saysOk();
    const whole = bodyOf(8 * MIB);
    const almost = rawRequest(door.path(), door.headers(`Content-Length: ${whole.length}`), whole.slice(0, -1));
    const uploads: RawClient[] = [];
    // A question that comes too early takes an upload's room, which is then refused in its place: another takes that up.
    const fill = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) if (uploads[i]?.received !== '') uploads[i] = (await door.connect()).send(almost);
      await until('all is sent', () => uploads.every(({ socket, received }) => socket.writableLength === 0 || received !== ''), WITHIN_MS);
    };
    const hasNoRoom = async (): Promise<boolean> => {
      await fill();
      return (await ask(MIB)) === contract.statusOf({ status: 503, code: 'overloaded' });
    };
    await until('there is no room', hasNoRoom, WITHIN_MS);
    const { answers } = await door.converse(rawRequest(door.path(), door.headers(), bodyOf(MIB)));
    contract.expectRefusal(answers[0]!, { status: 503, code: 'overloaded' });
    for (const client of uploads) client.reset();
    await until('there is room again', async () => (await ask(MIB)) === 200, WITHIN_MS);
  });

  it.each(['logit_bias', 'metadata', 'anything'])('with hundreds of thousands of keys in %s are refused', async (field) => {
    const many = Object.fromEntries(Array.from({ length: 400_000 }, (_, i) => [String(i), 1]));
    const { answers } = await door.converse(rawRequest(door.path(), door.headers(), door.body({ [field]: many })));
    expect(answers).toHaveLength(1);
    contract.expectRefusal(answers[0]!, { status: 400, code: 'invalid_json' });
  });

  it('that arrive in single bytes are read like any other', async () => {
    const body = door.body();
    const client = (await door.connect()).send(rawRequest(door.path(), door.headers(`Content-Length: ${body.length}`)));
    client.socket.setNoDelay(true);
    for (const byte of body) {
      client.send(byte);
      await new Promise(setImmediate);
    }
    expect((await door.answersOn(client, 1)).answers[0]?.status).toBe(200);
  });
});
