import { connectNats } from '@slipway/platform';
import { StreamSender } from '@slipway/stream-transport';
import { Engine } from './engine.mjs';
import { log, serve } from '../../testing/ipc.mjs';

const { url, env, wk, dep, rev, slots, settings, credentialsDir } = JSON.parse(process.argv[2]);
const nats = await connectNats({ url, role: 'worker', name: `worker ${wk}`, log, credentialsDir });
const engine = new Engine({ wk, slots, changed: () => sender.loadChanged() });
const sender = new StreamSender({
  nats,
  env,
  wk,
  dep,
  rev,
  fingerprint: 'deterministic',
  caps: [],
  zone: null,
  admit: engine.admit,
  load: () => ({ state: 'ready', slots, used: engine.running.size, queued: 0 }),
  log,
  settings,
});
sender.start();
await nats.flush();

serve({
  stats: () => ({
    running: engine.running.size,
    held: sender.active,
    counters: sender.counters,
    aborts: engine.aborts,
    starts: engine.starts,
  }),
  drain: async (deadlineMs) => {
    const stopped = await sender.drain(deadlineMs);
    const unacknowledged = sender.active;
    await sender.stop();
    await nats.drain();
    setTimeout(() => process.exit(0), 50);
    return { stopped, unacknowledged };
  },
});
