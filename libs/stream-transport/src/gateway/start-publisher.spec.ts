import type { Incarnation } from '@slipway/contracts';
import type { MsgHdrs } from '@slipway/platform';
import { expect, it } from 'vitest';
import type { StreamRequest } from '../types.js';
import { StartPublisher, type StartTarget } from './start-publisher.js';

const request = { st: 's', dep: 7, rev: 2, api: 'chat', req: { messages: [], sampling: {}, stop: [] }, account: 1, key: 1 };

it('a start carries the trace of its request', () => {
  const sent: MsgHdrs[] = [];
  const small = { limit: 1_000_000, send: (_: string, __: Uint8Array, { headers }: { headers: MsgHdrs }) => sent.push(headers) > 0 };
  const starts = new StartPublisher({ subjects: { starts: () => 'start' }, small } as never);
  const target = { wk: 'w' as Incarnation, at: 1, reply: 'frames', deadlineMs: 5_000 } as StartTarget;
  const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'rojo=1' };
  starts.send({ ...request, trace } as unknown as StreamRequest, target);
  starts.send(request as unknown as StreamRequest, target);
  expect(sent.map((fields) => [fields.get('traceparent'), fields.get('tracestate')])).toEqual([
    [trace.traceparent, 'rojo=1'],
    ['', ''],
  ]);
});

it('a start holds every field that release 0.1 requires', () => {
  const sent: Uint8Array[] = [];
  const small = { limit: 1_000_000, send: (_: string, body: Uint8Array) => sent.push(body) > 0 };
  const starts = new StartPublisher({ subjects: { starts: () => 'start' }, small } as never);
  const target = { wk: 'w' as Incarnation, at: 3, reply: 'frames', deadlineMs: 5_000 } as StartTarget;
  expect(starts.send(request as unknown as StreamRequest, target)).toEqual({ kind: 'sent' });
  const { st, dep, rev, api, req } = request;
  expect(JSON.parse(Buffer.concat(sent).toString())).toEqual({ st, at: 3, dep, rev, api, batch: true, caps: [], req });
});

it('a start is the same whether its request is an object, JSON, or JSON in pieces', () => {
  const sent: Uint8Array[] = [];
  const small = { limit: 1_000_000, send: (_: string, body: Uint8Array) => sent.push(body) > 0 };
  const starts = new StartPublisher({ subjects: { starts: () => 'start' }, small } as never);
  const target = { wk: 'w' as Incarnation, at: 1, reply: 'frames', deadlineMs: 5_000 } as StartTarget;
  const json = Buffer.from(JSON.stringify(request.req));
  for (const req of [request.req, json, [json.subarray(0, 5), json.subarray(5)]]) {
    starts.send({ ...request, req } as unknown as StreamRequest, target);
  }
  const [whole, ...others] = sent.map((body) => Buffer.from(body).toString());
  expect(others).toEqual([whole, whole]);
});
