import { Heartbeat, ServiceError, wildcardOf } from '@slipway/contracts';

const STALE_MS = 3_000;

/** Chooses the worker with the most free slots from heartbeats and own starts; when none is free, streams wait in a queue. */
export class Fleet {
  constructor({ nats, env, dep, waitMs }) {
    this.workers = new Map();
    this.queue = [];
    this.waitMs = waitMs;
    this.refusals = {};
    const heartbeats = nats.subscribe(wildcardOf(Heartbeat, { env, dep }), { callback: (err, msg) => err ?? this.received(msg.json()) });
    const timer = setInterval(() => this.pump(), 50);
    this.end = () => {
      clearInterval(timer);
      heartbeats.unsubscribe();
    };
  }

  received(beat) {
    const known = this.workers.get(beat.wk);
    this.workers.set(beat.wk, { ...beat, inFlight: known?.inFlight ?? 0, since: 0, lastHeartbeatAt: performance.now() });
    this.pump();
  }

  /** Workers that currently accept streams. */
  get ready() {
    return [...this.workers.values()].filter((w) => w.state === 'ready' && performance.now() - w.lastHeartbeatAt < STALE_MS);
  }

  choose = (excluded, { signal }) =>
    new Promise((resolve, reject) => {
      const waiter = { excluded, resolve, reject, until: performance.now() + this.waitMs };
      signal.addEventListener('abort', () => {
        this.queue = this.queue.filter((other) => other !== waiter);
        reject(new Error('aborted'));
      });
      this.queue.push(waiter);
      this.pump();
    });

  released = (wk) => {
    const worker = this.workers.get(wk);
    if (worker) worker.inFlight -= 1;
    this.pump();
  };

  refused = (wk, refusal) => {
    const kind = refusal.kind === 'rejected' ? refusal.code : refusal.kind;
    this.refusals[kind] = (this.refusals[kind] ?? 0) + 1;
    const worker = this.workers.get(wk);
    if (!worker) return;
    if (kind === 'draining') worker.state = 'draining';
    if (kind === 'busy') Object.assign(worker, { used: refusal.used, slots: refusal.slots, since: 0 });
    if (kind === 'absent' || kind === 'silent') worker.lastHeartbeatAt = Number.NEGATIVE_INFINITY;
  };

  pump() {
    const waiting = [];
    for (const waiter of this.queue) {
      const worker = this.freest(waiter.excluded);
      if (worker) {
        worker.inFlight += 1;
        worker.since += 1;
        waiter.resolve(worker.wk);
      } else if (performance.now() > waiter.until) waiter.reject(new ServiceError('overloaded', 'No worker became free.'));
      else waiting.push(waiter);
    }
    this.queue = waiting;
  }

  freest(excluded) {
    let best = null;
    let most = 0;
    for (const worker of this.ready) {
      const free = worker.slots - Math.max(worker.used + worker.since, worker.inFlight);
      if (free <= most || excluded.has(worker.wk)) continue;
      best = worker;
      most = free;
    }
    return best;
  }
}
