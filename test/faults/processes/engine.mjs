import { ServiceError } from '@slipway/contracts';
import { tokenAt } from './oracle.mjs';

const STEP_MS = 4;

/**
 * A deterministic engine: slots, one token per period and stream, prefill of a given length. The prompt of
 * a stream is its script: { seed, tokens, hz, prefillMs, fail: { at, code, workers }, pad }.
 */
export class Engine {
  constructor({ wk, slots, changed }) {
    this.wk = wk;
    this.slots = slots;
    this.changed = changed;
    this.running = new Set();
    this.starts = [];
    this.aborts = [];
    this.timer = setInterval(() => this.step(), STEP_MS);
  }

  admit = (start) => {
    if (start.api !== 'count' && this.running.size >= this.slots) return 'busy';
    const plan = JSON.parse(start.req.messages[0].content[0].text);
    this.starts.push({ st: start.st, at: start.at });
    return { run: (writer, signal) => this.run({ plan, st: start.st }, writer, signal) };
  };

  run({ plan, st }, writer, signal) {
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const job = { plan, st, writer, produced: 0, dueAt: begun + (plan.prefillMs ?? 0), begun, resolve, reject };
      this.running.add(job);
      writer.phase('prefill');
      signal.addEventListener('abort', () => {
        this.aborts.push({ st, at: Date.now() });
        this.finish(job);
      });
      this.changed();
    });
  }

  step() {
    const now = performance.now();
    for (const job of this.running) if (now >= job.dueAt) this.produce(job, now);
  }

  produce(job, now) {
    const { plan, writer } = job;
    if (plan.fail && plan.fail.at === job.produced && plan.fail.workers.includes(this.wk)) {
      this.running.delete(job);
      job.reject(new ServiceError(plan.fail.code, 'The plan says so.'));
      this.changed();
      return;
    }
    if (job.produced === 0) writer.phase('decode');
    if (job.produced < plan.tokens) {
      writer.events([{ k: 'text', x: tokenAt(plan.seed, job.produced), n: 1 }]);
      job.produced += 1;
    }
    const period = 1000 / plan.hz;
    job.dueAt = Math.max(job.dueAt + period, now);
    if (job.produced < plan.tokens) return;
    writer.events([{ k: 'fin', r: 'stop' }]);
    this.finish(job);
  }

  finish(job) {
    if (!this.running.delete(job)) return;
    job.resolve({
      usage: { prompt: 1, cached: 0, completion: job.produced },
      times: { queue: 0, prefill: 0, total: performance.now() - job.begun },
    });
    this.changed();
  }
}
