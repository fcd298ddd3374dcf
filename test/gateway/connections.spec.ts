import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chatContract } from './chat-contract.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { readAnswers } from './raw-answer.js';
import { type RawClient, rawRequest } from './raw-client.js';
import { answerSlowly, usageOf } from './scripted-runner.js';

const WITHIN_MS = 30_000;
const MOST = 10;
/** An answer of 8 MiB: more than the system takes for a client that does not read. */
const ANSWER_PIECE = 64 * 1024;
const ANSWER_PIECES = 128;
/** In bytes; an answer has begun when more was read. */
const LARGEST_REFUSAL = 2_000;
const LIVEZ = rawRequest('/livez', [], '', 'GET');

/** A key, and a deployment that it opens. */
interface Guest {
  readonly key: string;
  readonly slug: string;
}

describe('connections', () => {
  let door: Door;
  /** Another account, with a deployment without a runner. */
  let other: Guest;

  beforeAll(async () => {
    const environment = { CONNECTIONS_MAX: String(MOST), BODY_BYTES_PER_S_MIN: '0' };
    door = await Door.open({ contract: chatContract, slots: 2 * MOST, environment });
    const account = door.rig.account().id;
    other = { key: door.rig.key(account).value, slug: `deployment-${door.rig.deployment(account).id}` };
    await until('the gateway knows the other account', async () => (await statusOf(modelsOf(other))) === 200, WITHIN_MS);
  });
  afterAll(() => door?.end());
  afterEach(async () => {
    await door.reset();
    // Once the gateway answers a later connection it has seen the ends of those before, which would count against the next test.
    expect(await statusOf(LIVEZ)).toBe(200);
  });

  const statusOf = async (bytes: string): Promise<number> => (await door.converse(bytes)).answers[0]?.status ?? 0;
  const open = (count: number): Promise<RawClient[]> => Promise.all(Array.from({ length: count }, () => door.connect()));

  it.each([
    ['that say nothing', ''],
    ['that send their headers slowly', 'GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['that were used once', LIVEZ],
  ])('%s exclude no other client, however many', async (_, first) => {
    const idle = await open(3 * MOST);
    for (const client of idle) client.send(first);
    await until('the door is full', () => idle.filter(({ ended }) => ended).length >= MOST, WITHIN_MS);
    expect(await statusOf(LIVEZ)).toBe(200);
    expect(await statusOf(door.good())).toBe(200);
  });

  const modelsOf = ({ key, slug }: Guest): string => rawRequest(`/${slug}/v1/models`, [`X-API-Key: ${key}`], '', 'GET');
  /** Opens streams of the door's account until one fails. */
  const streamAll = async (): Promise<RawClient[]> => {
    door.runner.script = answerSlowly(100_000, 20);
    for (const streams: RawClient[] = []; ;) {
      const client = (await door.connect()).send(door.good({ stream: true }));
      await until('it runs or is refused', () => door.runner.used > streams.length || client.received !== '', WITHIN_MS);
      if (door.runner.used === streams.length) return streams;
      streams.push(client);
    }
  };

  /** Begins a request of the other account on each, without its body. */
  const uploadOn = async (clients: readonly RawClient[]): Promise<void> => {
    const headers = [`X-API-Key: ${other.key}`, 'Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 9'];
    for (const client of clients) await client.send(rawRequest(door.path(other.slug), headers)).untilReceived('100 Continue', WITHIN_MS);
  };

  it('in use belong to one account to three quarters', async () => {
    const streams = await streamAll();
    expect(streams).toHaveLength(8);
    const [refusal] = (await door.converse(door.good())).answers;
    chatContract.expectRefusal(refusal!, { status: 429, code: 'rate_limit_exceeded' });
    expect(refusal?.headers.get('retry-after')).toBe('2');
    expect(await statusOf(modelsOf({ key: door.key, slug: door.slug }))).toBe(429);
    expect(await statusOf(modelsOf(other))).toBe(200);
    expect(streams.every(({ ended }) => !ended)).toBe(true);
    for (const client of streams) client.destroy();
    await until(
      'its account has room again',
      async () => (await statusOf(modelsOf({ key: door.key, slug: door.slug }))) === 200,
      WITHIN_MS,
    );
  });

  it('that are all used still allow health checks', async () => {
    const streams = await streamAll();
    const uploads = await open(MOST - streams.length);
    await uploadOn(uploads);
    expect(await statusOf(LIVEZ)).toBe(200);
    const { answers, client } = await door.converse(modelsOf(other));
    chatContract.expectRefusal(answers[0]!, { status: 503, code: 'overloaded' });
    await client.untilClosed(WITHIN_MS);
    expect([...streams, ...uploads].every(({ ended }) => !ended)).toBe(true);
  });

  it('without reading clients exclude no others', async () => {
    door.runner.script = async (_start, writer) => {
      for (let i = 0; i < ANSWER_PIECES; i += 1) writer.events([{ k: 'text', x: 'x'.repeat(ANSWER_PIECE), n: 1 }]);
      writer.events([{ k: 'fin', r: 'stop' }]);
      return usageOf(1);
    };
    const deaf: RawClient[] = [];
    // One after the other: a busy machine answers few large ones at once, and a connection that waits for long gets no answer.
    while (deaf.length < 8) {
      const client = await door.connect();
      client.socket.pause();
      client.send(door.good());
      await until('its answer begins', () => client.socket.bytesRead > LARGEST_REFUSAL && door.runner.used === 0, WITHIN_MS);
      deaf.push(client);
    }
    await uploadOn(await open(MOST - deaf.length));
    await until('others are served', async () => (await statusOf(modelsOf(other))) === 200, WITHIN_MS);
  });

  it.each(['0.9', '2.0'])('that speak HTTP/%s get an error and close', async (version) => {
    const { answers, client } = await door.converse(door.good().replace('HTTP/1.1', `HTTP/${version}`));
    expect([answers[0]?.status, answers[0]?.body]).toEqual([505, expect.stringContaining('"code":"invalid_request"')]);
    await client.untilClosed(WITHIN_MS);
  });

  it('stay long after a valid key, briefly before', async () => {
    const { client: unproven } = await door.converse(LIVEZ);
    const { client: proven } = await door.converse(door.good());
    const timesOf = ({ received }: RawClient): (string | null)[] =>
      readAnswers(received).answers.map(({ headers }) => headers.get('keep-alive'));
    expect([timesOf(unproven), timesOf(proven)]).toEqual([['timeout=5'], ['timeout=75']]);
    await unproven.untilClosed(WITHIN_MS);
    expect(proven.ended).toBe(false);
  });
});
