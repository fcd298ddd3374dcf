import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatContract } from '../chat-contract.js';
import { Door } from '../door.js';
import { until } from '../gateway-rig.js';
import { RawClient, rawRequest } from '../raw-client.js';

const WITHIN_MS = 60_000;
/** What a gateway takes by default. */
const CONNECTIONS_MAX = 10_000;
/** What test and gateway need besides. */
const OTHER_FILES = 500;
const AT_ONCE = 200;
const LIVEZ = rawRequest('/livez', [], '', 'GET');

/** Files that this process may have open, as the gateway that it starts may. */
async function filesMax(): Promise<number> {
  const [, most = 'unlimited'] = /^Max open files\s+(\S+)/m.exec(await readFile('/proc/self/limits', 'utf8')) ?? [];
  return most === 'unlimited' ? Infinity : Number(most);
}

describe('more idle connections than a gateway takes', () => {
  let door: Door;
  let most: number;
  const idle: RawClient[] = [];

  beforeAll(async () => {
    // Where fewer files may be open, the gateway takes fewer connections, and so does the test.
    most = Math.min(CONNECTIONS_MAX, Math.floor(((await filesMax()) - OTHER_FILES) / 1.1));
    door = await Door.open({ contract: chatContract, environment: { CONNECTIONS_MAX: String(most) } });
  });
  afterAll(async () => {
    for (const client of idle) client.destroy();
    await door?.end();
  });

  it('leave room for health checks and for another client', async () => {
    while (idle.length < most * 1.1) {
      const next = await Promise.all(Array.from({ length: AT_ONCE }, () => RawClient.open(door.gateway.port)));
      idle.push(...next);
    }
    await until('the oldest are closed', () => idle.filter(({ ended }) => ended).length >= most * 0.1, WITHIN_MS);
    for (let i = 0; i < 10; i += 1) {
      expect((await door.converse(LIVEZ)).answers[0]?.status).toBe(200);
      expect((await door.converse(door.good())).answers[0]?.status).toBe(200);
    }
    expect(idle.filter(({ ended }) => !ended).length).toBeLessThanOrEqual(most);
  });
});
