import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestId } from '@slipway/contracts';
import { type EndedSpan, readTrace, type TraceContext, traceHeaders, Tracing, type TracingSettings } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InferenceLine } from '../../../apps/gateway/src/observability/inference-line.js';
import { requestSpan } from '../../../apps/gateway/src/observability/request-span.js';

const REQUESTS = 20_000;
/** Requests between two turns of the event loop, in which spans leave. */
const TURN = 20;
const ROUNDS = 3;
/** A span takes more. */
const SPAN_BYTES = 200;
const ID = 'req_k3Jx_9aQ' as RequestId;

const FIELDS = {
  ...{ method: 'POST', route: '/:deployment/v1/chat/completions', status: 200, deployment_id: 7, alias: 'local/demo', stream: true },
  ...{
    finish: 'stop',
    ttft_ms: 12.3,
    prompt_tokens: 100,
    cached_tokens: 0,
    completion_tokens: 64,
    attempts: 1,
    worker: 'agent-7_abc',
    ms: 812,
  },
};
const line = { startedAt: 0, fields: FIELDS } as unknown as InferenceLine;

const workerSpan = (trace: TraceContext): EndedSpan => ({
  ...{ trace, kind: 'consumer', name: 'chat deployment-7', startedAt: Date.now() - 800, endedAt: Date.now() },
  attributes: {
    ...{
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'slipway',
      'gen_ai.request.model': 'deployment-7',
      'gen_ai.response.id': ID,
    },
    ...{ 'gen_ai.response.finish_reasons': ['stop'], 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 64 },
    ...{ 'slipway.attempt': 1, 'slipway.revision': 1, 'slipway.outcome': 'done', 'slipway.queue_ms': 0, 'slipway.prefill_ms': 3.5 },
  },
});

/** Of a gateway and a worker. */
interface Pair {
  readonly gateway: Tracing;
  readonly worker: Tracing;
}

/** Reads spans and does nothing with them, because its time counts too. */
let collector: Server;
let bytes = 0;
let off: Pair;
let on: Pair;

async function pair(endpoint: string | null): Promise<Pair> {
  const settings: TracingSettings = { endpoint, sampler: 'parentbased_traceidratio', ratio: 0.05, service: 'test', attributes: {} };
  const [gateway, worker] = [new Tracing(settings), new Tracing(settings)];
  await Promise.all([gateway.start(), worker.start()]);
  return { gateway, worker };
}

beforeAll(async () => {
  collector = createServer((request, response) => {
    request.on('data', (piece: Buffer) => (bytes += piece.length));
    request.on('end', () => response.writeHead(200).end());
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  [off, on] = [await pair(null), await pair(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`)];
});
afterAll(async () => {
  await Promise.all([off, on].flatMap(({ gateway, worker }) => [gateway.stop(), worker.stop()]));
  collector?.close();
});

/** What traces of one request do in both processes. */
function trace({ gateway, worker }: Pair): void {
  const own = gateway.begin(null);
  const sent = traceHeaders(own);
  const child = worker.begin(readTrace(sent.traceparent, sent.tracestate));
  traceHeaders(child);
  if (child.isSampled) worker.record(workerSpan(child));
  if (own.isSampled) gateway.record(requestSpan(ID, own, line));
}

/** Processor time of a request in microseconds, the turns of the event loop included. */
async function cost(ask: () => void): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < REQUESTS; n += 1) {
    ask();
    if (n % TURN === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Infinity;

it('traces cost a request 10 µs, spans of 5 % 25 µs', async () => {
  const added: Record<'off' | 'on', number[]> = { off: [], on: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const turns = await cost(() => undefined);
    const costs = { off: (await cost(() => trace(off))) - turns, on: (await cost(() => trace(on))) - turns };
    // The first round compiles.
    if (round > 0) for (const way of ['off', 'on'] as const) added[way].push(costs[way]);
  }
  const told = (way: 'off' | 'on'): string => added[way].map((one) => one.toFixed(1)).join(', ');
  process.stdout.write(`[spans] µs a request: without a collector ${told('off')}; with spans of 5 % ${told('on')}\n`);
  expect(bytes).toBeGreaterThan(ROUNDS * REQUESTS * 0.05 * SPAN_BYTES);
  expect(median(added.off)).toBeLessThan(10);
  expect(median(added.on)).toBeLessThan(25);
}, 60_000);
