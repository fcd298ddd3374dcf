// node scripts/capacity-probe.mjs [--keys N] [--workers N] [--gateways N]: measures with the real code of this build what heartbeats
// and keys take in one gateway, and what a nats-server takes to hand one message on. docs/capacity.md states the figures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const load = (file) => import(pathToFileURL(join(root, file)).href);
const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '10000' },
    gateways: { type: 'string', default: '40' },
  },
});
const [KEYS, WORKERS, GATEWAYS] = [Number(values.keys), Number(values.workers), Number(values.gateways)];
const SECOND_US = 1_000_000;
const MESSAGES = 5_000;

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const print = (what, figure, unit) => console.log(`${what.padEnd(60)}${figure.toFixed(figure < 100 ? 2 : 0).padStart(12)} ${unit}`);

const heartbeat = (n, wk) => ({
  ...{ wk, dep: (n % 1_000) + 1, rev: 1, fp: 'tiny-q8-b5092', state: 'ready', n: 1, slots: 8, used: 3, queued: 0 },
  ...{ proto: ['1.0', '1.0'], caps: ['seed', 'tools', 'json'], zone: 'eu-1a' },
});

/** One round of heartbeats of all workers, as a gateway reads them. */
async function probeHeartbeats() {
  const { Heartbeat } = await load('libs/contracts/dist/index.js');
  const { WorkerTable } = await load('apps/gateway/dist/routing/worker-table.js');
  const table = new WorkerTable(() => performance.now());
  const texts = Array.from({ length: WORKERS }, (_, n) => JSON.stringify(heartbeat(n, `worker-${n}`)));
  const read = (round) => {
    for (const text of texts) table.report({ ...Heartbeat.message.parse(JSON.parse(text)), n: round });
  };
  read(1);
  read(2);
  const before = cpuUs();
  for (let round = 3; round < 8; round += 1) read(round);
  print('a gateway reads one heartbeat', (cpuUs() - before) / (5 * WORKERS), 'µs');
  print(`so all of ${WORKERS} runners, each second, of one core`, (((cpuUs() - before) / 5) * 100) / SECOND_US, '%');
  print('bytes of a heartbeat', texts.reduce((sum, text) => sum + text.length, 0) / WORKERS, 'B');
}

/** All keys of a snapshot in a gateway's index. */
async function probeKeys() {
  const { KeyIndex } = await load('apps/gateway/dist/auth/key-index.js');
  const index = new KeyIndex();
  for (let id = 1; id <= KEYS / 100; id += 1)
    index.put(`account:${id}`, { type: 'account', id, slug: `tenant-${id}`, state: 'active', limits: {} });
  globalThis.gc?.();
  const [bytes, cpu] = [process.memoryUsage().heapUsed, cpuUs()];
  for (let id = 1; id <= KEYS; id += 1) {
    const mac = Buffer.from(`${id}`.padStart(32, '0')).toString('base64url');
    const record = JSON.parse(
      JSON.stringify({
        type: 'key',
        id,
        account: (id % (KEYS / 100)) + 1,
        kind: 'dep',
        pepper: 'p1',
        mac,
        state: 'active',
        expires: null,
        deployments: null,
      }),
    );
    index.put(`key:${id}`, record);
  }
  const spent = cpuUs() - cpu;
  globalThis.gc?.();
  const held = process.memoryUsage().heapUsed - bytes;
  print(`a key in a gateway's index, of ${index.size}`, held / KEYS, 'B');
  print('processor time to take one key in, parsed', spent / KEYS, 'µs');
}

/** Processor time of a process, in microseconds. */
function serverUs(pid) {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13).map(Number);
  return ((user + system) * SECOND_US) / 100;
}

/** What nats-server takes to hand one heartbeat to one of many gateways. */
async function probeFanOut() {
  const { TestNatsServer } = await load('libs/testing/dist/index.js');
  const { connectNats, createLogger } = await load('libs/platform/dist/index.js');
  const server = await TestNatsServer.start();
  const login = { url: server.url, role: 'gateway', log: createLogger('probe', 'silent') };
  const readers = await Promise.all(Array.from({ length: GATEWAYS }, (_, n) => connectNats({ ...login, name: `gateway ${n}` })));
  let seen = 0;
  for (const reader of readers) reader.subscribe('hb.*', { callback: () => (seen += 1) });
  await Promise.all(readers.map((reader) => reader.flush()));
  const writer = await connectNats({ ...login, name: 'worker' });
  const text = JSON.stringify(heartbeat(1, 'agent-1'));
  const before = serverUs(server.pid);
  for (let n = 0; n < MESSAGES; n += 1) {
    writer.publish('hb.1', text);
    if (n % 50 === 0) await writer.flush();
  }
  while (seen < MESSAGES * GATEWAYS) await new Promise((resolve) => setTimeout(resolve, 20));
  print(`nats-server hands one message to one of ${GATEWAYS} gateways`, (serverUs(server.pid) - before) / seen, 'µs');
  await Promise.all([...readers, writer].map((one) => one.close()));
  await server.end();
}

await probeHeartbeats();
await probeKeys();
await probeFanOut();
