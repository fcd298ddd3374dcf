import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { defineService, natsFragment, serviceFragment } from '@slipway/platform';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { afterEach, beforeEach, it } from 'vitest';
import { z } from 'zod';
import { until } from '../testing/until.js';

@Module({})
class NothingModule {}

const service = defineService({
  name: 'keys-service',
  role: 'keys',
  config: z.object({ ...serviceFragment, ...natsFragment }),
  module: NothingModule,
});

let folder: string;
let server: TestNatsServer;
let running: RunningService | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-conf-'));
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ user: 'keys', password: 'secret' }));
});
afterEach(async () => {
  await running?.stop();
  await server?.end();
  await rm(folder, { recursive: true, force: true });
});

it('a process waits for the nats.conf of its release', async () => {
  const permissions = 'permissions { subscribe { deny: "sys.>" } }';
  server = await TestNatsServer.start({ config: `authorization { users: [{ user: keys, password: secret, ${permissions} }] }` });
  const lines: string[] = [];
  const settings = { SLIPWAY_ENV: 'old', NATS_URL: server.url, NATS_CREDENTIALS_DIR: folder };
  running = await startService(service, settings, { log: (line) => lines.push(line) });
  await until('/readyz names the file', () => running?.notReady()?.startsWith('nats.conf is of an older release') === true);
  await until('the log names it', () => lines.some((line) => line.includes('lifecycle.held_up')));
});
