import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectNats, createLogger } from '@slipway/platform';
import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bus, ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';

const SCRIPT = fileURLToPath(new URL('../../../deploy/make-streams.mjs', import.meta.url));
/** What a server of a cluster answers as long as it knows of no leader. */
const LEADERLESS = JSON.stringify({ error: { code: 503, err_code: 10_008, description: 'JetStream system temporarily unavailable' } });

let bus: Bus;
let leaderless: TestNatsServer;

beforeAll(async () => {
  bus = await Bus.start(3);
  leaderless = await TestNatsServer.start();
}, 60_000);
afterAll(async () => {
  await leaderless?.end();
  await bus?.end();
});

it('the streams are made by a server that knows the leader', async () => {
  const nats = await connectNats({ url: leaderless.url, role: 'boot', name: 'leaderless', log: createLogger('test', 'silent') });
  let asked = 0;
  nats.subscribe('$JS.API.>', {
    callback: (_error, question) => {
      asked += 1;
      question.respond(LEADERLESS);
    },
  });
  await nats.flush();
  // The others start once the script has asked this one.
  await Promise.all(bus.servers.map((server) => server.kill()));
  const { PATH } = process.env;
  const env = { PATH, NATS_URL: `${leaderless.url},${bus.url}`, NATS_CREDENTIALS_DIR: bus.credentialsDir, SLIPWAY_ENV: ENV };
  const made = promisify(execFile)(process.execPath, [SCRIPT], { env, timeout: 90_000 });
  made.catch(() => undefined);
  await until('the script has asked', () => asked > 0);
  await Promise.all(bus.servers.map((server) => server.restart()));
  expect((await made).stdout).toContain('are there, with 3 copies');
  await nats.close();
}, 120_000);
