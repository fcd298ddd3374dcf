import { AccountId, DeploymentId, Incarnation, KeyId, ServiceError, StreamId } from '@slipway/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamReceiver, StreamSender, type StreamSink, type WorkerChooser } from './index.js';
import { randomFrom, SimulatedNats, type Weather } from './wire/simulated-nats.samples.js';

const ENV = 'simulated';
const DEP = DeploymentId.parse(1);
const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
const WORKERS = 3;
const GATEWAYS = 2;
/** More than the number from which frames of different streams wait for one another. */
const STREAMS = 30;
/** Longer than a lease, a probe and all retries together. */
const OVER_AFTER_MS = 45_000;

/** What one client received. */
class Client implements StreamSink {
  readonly texts: string[] = [];
  ended: 'end' | 'error' | null = null;
  fault = '';

  accepted(): void {
    this.#assertOpen();
  }

  events(events: Parameters<StreamSink['events']>[0]): void {
    this.#assertOpen();
    for (const event of events) if (event.k === 'text') this.texts.push(event.x);
  }

  end(): void {
    this.#assertOpen();
    this.ended = 'end';
  }

  error(error: ServiceError): void {
    this.#assertOpen();
    this.ended = 'error';
    this.fault = error.code;
  }

  #assertOpen(): void {
    if (this.ended !== null) throw new Error('Something came after the end.');
  }
}

type Simulation = ReturnType<typeof simulate>;

/** Three workers and two gateways in virtual time, with streams that begin within a second of one another. */
function simulate(seed: number, weather: Weather) {
  const random = randomFrom(seed);
  const bus = new SimulatedNats(random, weather);
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const lengths = new Map<StreamId, number>();
  const workers = Array.from({ length: WORKERS }, (_, i) => {
    const wk = Incarnation.parse(`w${i}`);
    const end = bus.end();
    const generate = async (st: StreamId, write: (text: string) => void, signal: AbortSignal): Promise<number> => {
      const length = lengths.get(st) ?? 0;
      for (let n = 0; n < length; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, between(1, 40)));
        if (signal.aborted) return n;
        write(`${wk}/${st}/${n}`);
      }
      return length;
    };
    const sender = new StreamSender({
      ...{ wk, dep: DEP, rev: 1, fingerprint: 'f', caps: [], zone: null, env: ENV, log: LOG, nats: end.connection },
      load: () => ({ state: 'ready', slots: 100, used: 0, queued: 0 }),
      admit: ({ st }) => ({
        run: async (writer, signal) => {
          const completion = await generate(st, (x) => writer.events([{ k: 'text', x, n: 1 }]), signal);
          return { usage: { prompt: 1, cached: 0, completion }, times: { queue: 0, prefill: 0, total: 0 } };
        },
      }),
    });
    sender.start();
    return { wk, end, sender };
  });
  const gateways = Array.from({ length: GATEWAYS }, (_, i) => {
    const end = bus.end();
    const receiver = new StreamReceiver({
      nats: end.connection,
      bulk: bus.end().connection,
      env: ENV,
      gw: Incarnation.parse(`g${i}`),
      log: LOG,
    });
    return { end, receiver };
  });
  const chooser: WorkerChooser = {
    choose: (excluded) => {
      const free = workers.filter(({ wk }) => !excluded.has(wk));
      const chosen = free[between(0, free.length - 1)];
      return chosen ? Promise.resolve(chosen.wk) : Promise.reject(new ServiceError('unavailable', 'No worker is left.'));
    },
    released: () => undefined,
    refused: () => undefined,
  };
  const clients = Array.from({ length: STREAMS * GATEWAYS }, (_, i) => {
    const st = StreamId.parse(`s${seed}x${i}`);
    lengths.set(st, between(1, 120));
    const client = new Client();
    const gateway = gateways[i % GATEWAYS];
    const request = {
      ...{ st, dep: DEP, rev: 1, api: 'chat' as const, account: AccountId.parse(1), key: KeyId.parse(1) },
      req: { messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }], sampling: {}, stop: [] } as never,
    };
    setTimeout(() => gateway?.receiver.open(request, chooser, client), between(0, 1_000));
    return { st, client, gateway, length: lengths.get(st) ?? 0 };
  });
  return { bus, workers, gateways, clients, between };
}

/** Every client got the beginning of what one worker produced for it, all of it where it was told that it is complete. */
function assertWhole(clients: Simulation['clients']): void {
  for (const { st, client, length } of clients) {
    const [wk] = (client.texts[0] ?? '').split('/');
    expect(client.texts).toEqual(client.texts.map((_, n) => `${wk}/${st}/${n}`));
    expect(client.ended, `stream ${st} has an end`).not.toBeNull();
    if (client.ended === 'end') expect(client.texts).toHaveLength(length);
  }
}

const completed = ({ clients }: Simulation): number => clients.filter(({ client }) => client.ended === 'end').length;
const CALM: Weather = { loss: 0, twice: 0, delayMs: 3 };
const STORM: Weather = { loss: 0.05, twice: 0.02, delayMs: 40 };
const SEEDS = [1, 2];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets virtual time pass, as fast as the work in it allows. */
async function pass(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end && vi.getTimerCount() > 0;) {
    vi.advanceTimersToNextTimer();
    await new Promise(setImmediate);
  }
}

/** Runs the simulation to its end. No worker may keep anything of streams that are over. */
async function run(simulation: Simulation, { dead = [] as readonly number[] } = {}): Promise<void> {
  await pass(OVER_AFTER_MS);
  const living = simulation.workers.filter((_, i) => !dead.includes(i));
  expect(living.map(({ sender }) => sender.active)).toEqual(living.map(() => 0));
  const ends = [...simulation.workers.map(({ sender }) => sender.stop()), ...simulation.gateways.map(({ receiver }) => receiver.stop())];
  await pass(1_000);
  await Promise.all(ends);
}

describe('streams in batches', () => {
  it('are all whole on a calm network', async () => {
    const simulation = simulate(1, CALM);
    await run(simulation);
    assertWhole(simulation.clients);
    expect(completed(simulation)).toBe(simulation.clients.length);
    expect(simulation.bus.batches).toBeGreaterThan(100);
  });

  it.each(SEEDS)('lose and double nothing where messages are lost and doubled (seed %i)', async (seed) => {
    const simulation = simulate(seed, STORM);
    await run(simulation);
    assertWhole(simulation.clients);
    expect(completed(simulation)).toBeGreaterThan(simulation.clients.length * 0.9);
    expect(simulation.gateways.every(({ receiver: { counters } }) => counters.replays > 0 && counters.duplicates > 0)).toBe(true);
  });

  it.each(SEEDS)('of a dead worker end, and those of others go on (seed %i)', async (seed) => {
    const simulation = simulate(seed, STORM);
    const [victim] = simulation.workers;
    setTimeout(() => victim && simulation.bus.kill(victim.end), simulation.between(500, 1_500));
    await run(simulation, { dead: [0] });
    assertWhole(simulation.clients);
    const cut = simulation.clients.filter(({ client }) => client.texts[0]?.startsWith('w0/') && client.ended === 'error');
    expect(cut.length).toBeGreaterThan(0);
    expect(completed(simulation)).toBeGreaterThan(simulation.clients.length / 2);
  });

  it.each(SEEDS)('survive short losses of connections (seed %i)', async (seed) => {
    const simulation = simulate(seed, STORM);
    const { workers, gateways, between } = simulation;
    // A worker whose connection is away for longer is taken for dead, a gateway after `interestMs`.
    for (const { end } of workers)
      for (const at of [300, 1_300, 2_300]) setTimeout(() => end.leave(between(20, 200)), at + between(0, 500));
    for (const { end } of gateways) setTimeout(() => end.leave(between(100, 1_000)), between(0, 3_000));
    await run(simulation);
    assertWhole(simulation.clients);
    expect(completed(simulation)).toBeGreaterThan(simulation.clients.length * 0.9);
  });

  it.each(SEEDS)('stay whole or fail in long losses (seed %i)', async (seed) => {
    const simulation = simulate(seed, STORM);
    const ends = [...simulation.workers, ...simulation.gateways].map(({ end }) => end);
    for (const end of ends) setTimeout(() => end.leave(simulation.between(1_000, 15_000)), simulation.between(0, 3_000));
    await run(simulation);
    assertWhole(simulation.clients);
  });

  it.each(SEEDS)('of a dead gateway stop at their workers (seed %i)', async (seed) => {
    const simulation = simulate(seed, STORM);
    const [victim, other] = simulation.gateways;
    setTimeout(() => victim && simulation.bus.kill(victim.end), 700);
    await run(simulation);
    assertWhole(simulation.clients.filter(({ gateway }) => gateway === other));
  });
});
