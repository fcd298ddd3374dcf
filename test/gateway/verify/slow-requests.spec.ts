import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Door } from '../door.js';
import { CONTRACTS } from '../expect-row.js';
import { readAnswers } from '../raw-answer.js';
import { rawRequest } from '../raw-client.js';

const WITHIN_MS = 60_000;

describe.each(CONTRACTS)('slow requests at the $name door', (contract) => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract });
  });
  afterAll(() => door?.end());

  it('a slow body ends after 30 s, logged, unstarted', async () => {
    const started = door.runner.admitted.length;
    const client = (await door.connect()).send(rawRequest(door.path(), door.headers('Content-Length: 4000')));
    const drip = setInterval(() => client.send(' '), 500);
    try {
      const { answers, rest } = readAnswers(await client.untilClosed(WITHIN_MS));
      expect({ count: answers.length, rest }).toEqual({ count: 1, rest: '' });
      contract.expectRefusal(answers[0]!, { status: 408, code: 'request_timeout' });
      await contract.expectRaised(answers[0]!, { status: 408, code: 'request_timeout' });
      const line = await door.gateway.lineOf(answers[0]!.headers.get('x-request-id')!);
      expect(line).toMatchObject({ status: 408, error: 'request_timeout', route: expect.stringContaining(':deployment') as string });
      expect(door.runner.admitted).toHaveLength(started);
    } finally {
      clearInterval(drip);
    }
  });
});
