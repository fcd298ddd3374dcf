import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { cpuTicks, Flood, residentMib } from '../console-flood.js';
import { ConsoleProcess } from '../console-process.js';
import { PeopleWorld } from '../people-world.js';

const CONNECTIONS = 4_000;
const MIB = 1024 * 1024;
/** Memory that all anonymous clients may use together. */
const COST_MIB = 100;
/** The first requests of a process compile code and grow its heap; they are made before the measurement. */
const WARM_REQUESTS = 300;
/** Largest CPU time of a health check, in hundredths of a second. */
const REST_TICKS = 3;
/** Largest body of a sign-in. */
const SIGN_IN_BYTES = 8 * 1024;
/** Reading chunks of one byte takes long. */
const READ_WITHIN_MS = 45_000;

// They must not affect other clients of the console.
describe(`${CONNECTIONS} anonymous connections`, () => {
  let world: PeopleWorld;
  let door: ConsoleProcess;
  let port: number;
  let flood: Flood | undefined;
  let before: number;

  beforeAll(async () => {
    world = await PeopleWorld.start();
    door = await ConsoleProcess.start(world.keys.bus, { LOG_LEVEL: 'info' });
    port = Number(new URL(door.url).port);
    await ask();
    before = await residentMib(door.pid);
  });
  afterEach(() => flood?.end());
  afterAll(async () => {
    await door?.stop('SIGKILL');
    await world?.end();
  });

  const ask = async (): Promise<void> => {
    for (let n = 0; n < WARM_REQUESTS; n += 1) await fetch(`${door.url}/api/me`).then((answer) => answer.text());
  };

  const live = async (): Promise<number> => (await fetch(`${door.url}/livez`, { headers: { connection: 'close' } })).status;

  /** The console has read everything: it uses CPU time for the health check only. */
  const rests = async (): Promise<boolean> => {
    const begin = await cpuTicks(door.pid);
    for (let i = 0; i < 2; i += 1) await live();
    return (await cpuTicks(door.pid)) - begin <= REST_TICKS;
  };

  it.each([
    ['hold a megabyte each for the playground', { path: '/api/playground/deployment-1/chat' }],
    [
      'hold a megabyte each with an invented session',
      { path: '/api/playground/deployment-1/chat', headers: { authorization: 'Bearer a.b.c' } },
    ],
    [
      'hold a megabyte each for the MCP server',
      { path: '/mcp', headers: { authorization: `Bearer svc_mcp_${randomBytes(24).toString('hex')}` } },
    ],
    ['hold what a sign-in may be', { path: '/api/sign-in', bytes: SIGN_IN_BYTES }],
    ['hold a megabyte each where nothing is', { path: '/nowhere' }],
    // Few connections: reading chunks of one byte takes much CPU time.
    [
      'hold what a sign-in may be in HTTP chunks of one byte',
      { path: '/api/sign-in', bytes: SIGN_IN_BYTES, isShredded: true, connections: 128 },
    ],
  ])('that %s cost little memory and delay no request', async (_, request) => {
    flood = await Flood.begin({ port, connections: CONNECTIONS, bytes: MIB, ...request });
    expect(await live()).toBe(200);
    const answer = await fetch(`${door.url}/api/sign-in/ways`, { headers: { connection: 'close' } });
    expect(answer.status).toBe(200);
    await until('all that was sent is read', rests, READ_WITHIN_MS);
    expect((await residentMib(door.pid)) - before).toBeLessThan(COST_MIB);
  });

  it('that are idle are closed for new ones', async () => {
    flood = await Flood.begin({ port, connections: CONNECTIONS, path: '/api/me', bytes: 1 });
    await until('no more than the share of one address is open', () => (flood?.open ?? 0) <= 512);
    expect(await live()).toBe(200);
  });

  it('leave no memory in use once closed', async () => {
    flood?.end();
    // V8 collects garbage while something is allocated: a process that gets no request keeps it.
    await until('the memory is given back', async () => {
      await ask();
      return (await residentMib(door.pid)) - before < COST_MIB;
    });
    expect(await live()).toBe(200);
  });
});
