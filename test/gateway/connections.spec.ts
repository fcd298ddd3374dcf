import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chatContract } from './chat-contract.js';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { readAnswers } from './raw-answer.js';
import { type RawClient, rawRequest } from './raw-client.js';
import { answerSlowly } from './scripted-runner.js';

const WITHIN_MS = 30_000;
const MOST = 10;
const LIVEZ = rawRequest('/livez', [], '', 'GET');

describe('connections', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: chatContract, slots: 2 * MOST, environment: { CONNECTIONS_MAX: String(MOST) } });
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const statusOf = async (bytes: string): Promise<number> => (await door.converse(bytes)).answers[0]?.status ?? 0;
  const open = (count: number): Promise<RawClient[]> => Promise.all(Array.from({ length: count }, () => door.connect()));

  it.each([
    ['that say nothing', ''],
    ['that send their headers slowly', 'GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['that were used once', LIVEZ],
  ])('%s shut nobody out, however many there are', async (_, first) => {
    const idle = await open(3 * MOST);
    for (const client of idle) client.send(first);
    await until('the door is full', () => idle.filter(({ ended }) => ended).length >= MOST, WITHIN_MS);
    expect(await statusOf(LIVEZ)).toBe(200);
    expect(await statusOf(door.good())).toBe(200);
  });

  it('that are all in use leave health checks a way in, and others are told to come back', async () => {
    door.runner.script = answerSlowly(100_000, 20);
    const streams = await open(MOST);
    for (const client of streams) client.send(door.good({ stream: true }));
    await until('all are in use', () => door.runner.used === MOST, WITHIN_MS);
    expect(await statusOf(LIVEZ)).toBe(200);
    const { answers, client } = await door.converse(door.good());
    chatContract.expectRefusal(answers[0]!, { status: 503, code: 'overloaded' });
    await client.untilClosed(WITHIN_MS);
    expect(streams.every(({ ended }) => !ended)).toBe(true);
  });

  it.each(['0.9', '2.0'])('that speak HTTP/%s are told that it is not spoken here, and closed', async (version) => {
    const { answers, client } = await door.converse(door.good().replace('HTTP/1.1', `HTTP/${version}`));
    expect([answers[0]?.status, answers[0]?.body]).toEqual([505, expect.stringContaining('"code":"invalid_request"')]);
    await client.untilClosed(WITHIN_MS);
  });

  it('are kept for long once a good key has come on them, and closed soon before', async () => {
    const { client: unproven } = await door.converse(LIVEZ);
    const { client: proven } = await door.converse(door.good());
    const timesOf = ({ received }: RawClient): (string | null)[] =>
      readAnswers(received).answers.map(({ headers }) => headers.get('keep-alive'));
    expect([timesOf(unproven), timesOf(proven)]).toEqual([['timeout=5'], ['timeout=75']]);
    await unproven.untilClosed(WITHIN_MS);
    expect(proven.ended).toBe(false);
  });
});
