import { describe, expect, it } from 'vitest';
import { childOf, newTrace, readTrace, traceHeaders } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

describe('readTrace', () => {
  it.each([
    [VALID, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [` ${VALID} `, true],
    [`01-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-of-the-future`, true],
  ])('takes "%s"', (text, isSampled) => {
    expect(readTrace(text)).toEqual({ traceId: TRACE, spanId: SPAN, parentId: null, isSampled, state: undefined });
  });

  it.each([
    undefined,
    '',
    'none',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-1`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `${VALID}, ${VALID}`,
    `${VALID}\r\nx: y`,
  ])('ignores the invalid traceparent "%s"', (text) => {
    expect(readTrace(text, 'a=b')).toBeNull();
  });

  it.each([
    ['rojo=00f067aa,congo=t61', 'rojo=00f067aa,congo=t61'],
    ['rojo=1 ,, tenant@congo=2', 'rojo=1,tenant@congo=2'],
    ['no member', undefined],
    ['a=b,UPPER=c', undefined],
    ['a=b\r\nx: y', undefined],
    [`a=${'b'.repeat(600)}`, undefined],
    [Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(','), undefined],
    ['', undefined],
  ])('the tracestate "%s" becomes %s', (text, state) => {
    expect(readTrace(VALID, text)?.state).toBe(state);
  });
});

it('a child keeps the trace and names its caller', () => {
  const caller = readTrace(VALID, 'a=b');
  if (!caller) throw new Error('It is valid.');
  const child = childOf(caller);
  expect(child).toMatchObject({ traceId: TRACE, parentId: SPAN, isSampled: true, state: 'a=b' });
  expect(child.spanId).toMatch(/^[\da-f]{16}$/);
  expect(child.spanId).not.toBe(SPAN);
  expect(traceHeaders(child)).toEqual({ traceparent: `00-${TRACE}-${child.spanId}-01`, tracestate: 'a=b' });
});

it('new traces have ids of their own and valid headers', () => {
  const traces = Array.from({ length: 2_000 }, () => newTrace());
  expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(traces.length);
  for (const trace of traces) {
    const { traceId, spanId } = trace;
    expect(readTrace(traceHeaders(trace).traceparent)).toEqual({ ...trace, traceId, spanId });
  }
});
