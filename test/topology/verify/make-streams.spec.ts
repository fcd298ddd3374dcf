import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bus, ENV } from '../../services/bus.js';

const SCRIPT = fileURLToPath(new URL('../../../deploy/make-streams.mjs', import.meta.url));
/** One in four connects first to the server without JetStream: of so many, almost always some. */
const RUNS = 12;

let bus: Bus;
let deaf: TestNatsServer;

beforeAll(async () => {
  bus = await Bus.start(3);
  deaf = await TestNatsServer.start();
}, 60_000);
afterAll(async () => {
  await deaf?.end();
  await bus?.end();
});

async function made(): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, NATS_URL: `${deaf.url},${bus.url}`, NATS_CREDENTIALS_DIR: bus.credentialsDir, SLIPWAY_ENV: ENV };
  return (await promisify(execFile)(process.execPath, [SCRIPT], { env, timeout: 60_000 })).stdout;
}

it('the streams are made although one server knows of no JetStream', async () => {
  for (let run = 0; run < RUNS; run += 1) expect(await made()).toContain('are there, with 3 copies');
}, 240_000);
