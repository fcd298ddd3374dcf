import { connectNats } from '@slipway/platform';
import { StreamReceiver } from '@slipway/stream-transport';
import { Fleet } from './chooser.mjs';
import { log, serve } from '../../testing/ipc.mjs';
import { lossyConnection } from './lossy-connection.mjs';
import { tokenAt } from './oracle.mjs';

const { url, env, gw: firstName, dep, rev, settings, waitMs, lossy, credentialsDir } = JSON.parse(process.argv[2]);
const open = (name) => connectNats({ url, role: 'gateway', name: `gateway ${firstName} ${name}`, log, credentialsDir });
const [nats, bulk] = [await open('stream'), await open('bulk')];
const streams = [];
let opened = 0;
let gw, receiver, fleet;

/** Begins as another gateway, in the process and on the connections of the last one. */
async function begin(name) {
  fleet?.end();
  gw = name;
  opened = 0;
  streams.length = 0;
  receiver = new StreamReceiver({ nats: lossy ? lossyConnection(nats, lossy) : nats, bulk, env, gw, log, settings });
  fleet = new Fleet({ nats, env, dep, waitMs });
  await nats.flush();
}
await begin(firstName);

/** Checks every event of one stream against the oracle. */
class CheckedStream {
  constructor(plan) {
    opened += 1;
    this.plan = plan;
    this.result = {
      st: `${gw}-${opened}`,
      outcome: null,
      code: null,
      tokens: 0,
      wrong: 0,
      workers: [],
      ttft: null,
      pause: 0,
      endedAt: null,
      usage: null,
    };
    this.done = new Promise((resolve) => (this.resolve = resolve));
    this.begun = performance.now();
    this.lastAt = null;
  }

  sink = {
    accepted: (wk) => this.result.workers.push(wk),
    events: (events) => {
      for (const event of events) this.check(event);
    },
    end: (end) => {
      this.result.usage = end.usage;
      this.finish('end', null);
    },
    error: (error) => this.finish('error', error.code),
  };

  check(event) {
    const now = performance.now();
    if (this.lastAt === null) this.result.ttft = now - this.begun;
    else this.result.pause = Math.max(this.result.pause, now - this.lastAt);
    this.lastAt = now;
    if (event.k !== 'text') return;
    if (this.result.outcome !== null || event.x !== tokenAt(this.plan.seed, this.result.tokens)) this.result.wrong += 1;
    this.result.tokens += 1;
  }

  finish(outcome, code) {
    const twice = this.result.outcome !== null;
    Object.assign(this.result, { outcome: twice ? 'twice' : outcome, code, endedAt: Date.now() });
    this.resolve();
  }

  open() {
    const text = JSON.stringify({ ...this.plan, pad: this.plan.pad ? 'x'.repeat(this.plan.pad) : undefined });
    const request = {
      st: this.result.st,
      dep,
      rev,
      api: 'chat',
      req: { messages: [{ role: 'user', content: [{ type: 'text', text }] }], sampling: {}, stop: [] },
      account: 1,
      key: 1,
    };
    this.handle = receiver.open(request, fleet, this.sink);
  }
}

serve({
  begin,
  workers: () => fleet.ready.map((worker) => worker.wk),
  open: async ({ count, gapMs = 0, seed = 0, ...plan }) => {
    for (let i = 0; i < count; i += 1) {
      const stream = new CheckedStream({ seed: seed + i, ...plan });
      streams.push(stream);
      stream.open();
      if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs));
    }
  },
  progress: () => ({
    open: streams.filter((s) => s.result.outcome === null).length,
    producing: streams.filter((s) => s.result.outcome === null && s.result.tokens > 0).length,
    accepted: streams.filter((s) => s.result.workers.length > 0).length,
  }),
  results: async () => {
    await Promise.all(streams.map((stream) => stream.done));
    return streams.map((stream) => stream.result);
  },
  soFar: () => streams.map((stream) => stream.result),
  openAndCancel: async ({ count, ...plan }) => {
    const cancels = [];
    for (let i = 0; i < count; i += 1) {
      const stream = new CheckedStream({ seed: i, ...plan });
      stream.open();
      // Some before a worker is chosen, some while the start is on its way.
      if (i % 3 > 0) await Promise.resolve();
      if (i % 3 > 1) await new Promise((resolve) => setImmediate(resolve));
      cancels.push(stream.handle.cancel('test'));
    }
    await Promise.all(cancels);
  },
  cancel: async () => {
    const at = Date.now();
    const usages = await Promise.all(streams.map((stream) => stream.handle.cancel('test')));
    return { at, usages, tokens: streams.map((stream) => stream.result.tokens), took: Date.now() - at };
  },
  stats: () => ({ counters: receiver.counters, active: receiver.active, refusals: fleet.refusals }),
  stop: async () => {
    await receiver.stop();
    return streams.map((stream) => stream.result);
  },
});
