import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayProcess } from '../gateway-process.js';
import { GatewayRig, until } from '../gateway-rig.js';

/** Requests before any is looked at: by then V8 knows the shapes of their objects. */
const WARM_UP = 300;
const REQUESTS = 300;
const AT_ONCE = 10;
/** A place that missed this often for as many hidden classes makes one for each request, or reads such an object. */
const MANY = REQUESTS / 2;

const PLACE = /^(\w+IC),0x[\da-f]+,\d+,(\d+),(\d+),\w*,\w*,(0x[\da-f]+),([^,]*)/;

let folder: string;
let rig: GatewayRig;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-shapes-'));
  rig = await GatewayRig.start();
});
afterAll(async () => {
  await rig?.end();
  rmSync(folder, { recursive: true, force: true });
});

/** The places whose inline cache missed again and again, each time for another hidden class. */
function restlessPlaces(log: string): string[] {
  const classes = new Map<string, Set<string>>();
  for (const line of log.split('\n')) {
    const [, kind, row, column, hiddenClass = '', name] = PLACE.exec(line) ?? [];
    if (kind === undefined) continue;
    const place = `${kind} of ${name} at ${row}:${column}`;
    classes.set(place, (classes.get(place) ?? new Set()).add(hiddenClass));
  }
  return [...classes].filter(([, seen]) => seen.size > MANY).map(([place]) => place);
}

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const SAMPLING = { temperature: 0.5, top_p: 0.9 };
const BODIES = [
  { path: 'chat/completions', body: { ...SAMPLING, messages: MESSAGES, max_tokens: 16 } },
  { path: 'messages', body: { ...SAMPLING, messages: MESSAGES, max_tokens: 16 } },
  { path: 'responses', body: { ...SAMPLING, input: 'Hello', max_output_tokens: 16 } },
].flatMap(({ path, body }) => [false, true].map((stream) => ({ path, body: { ...body, stream } })));

it.each(BODIES)('objects of requests share shapes: $path, stream $body.stream', async ({ path, body }) => {
  const account = rig.account().id;
  const [key, deployment] = [rig.key(account).value, rig.deployment(account)];
  await rig.runner({ dep: deployment.id, slots: 64 });
  const file = join(folder, `${path.replace('/', '-')}-${body.stream}.log`);
  const gateway = await GatewayProcess.start({ url: rig.server.url }, { LOG_LEVEL: 'info' }, [
    '--log-ic',
    '--no-logfile-per-isolate',
    `--logfile=${file}`,
  ]);
  try {
    const request = {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    };
    const ask = async (): Promise<number> => {
      const whole = JSON.stringify({ model: `deployment-${deployment.id}`, ...body });
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/deployment-${deployment.id}/v1/${path}`, { ...request, body: whole });
      await answer.text();
      return answer.status;
    };
    const askAll = async (count: number): Promise<void> => {
      for (let asked = 0; asked < count; asked += AT_ONCE) {
        const statuses = await Promise.all(Array.from({ length: AT_ONCE }, ask));
        expect(statuses).toEqual(statuses.map(() => 200));
      }
    };
    await until('the gateway answers', async () => (await ask()) === 200);
    await askAll(WARM_UP);
    const { size } = statSync(file);
    await askAll(REQUESTS);
    await gateway.stop();
    expect(restlessPlaces(readFileSync(file).subarray(size).toString('latin1'))).toEqual([]);
  } finally {
    await gateway.end();
  }
});
