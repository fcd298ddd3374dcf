import { type EndFrame, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { StreamSink } from '@slipway/stream-transport';
import { beforeEach, describe, expect, it } from 'vitest';
import { JoinedStream } from './joined-stream.js';

const usage = (prompt: number): Usage => ({ prompt, cached: 0, completion: 0 });
const end = (prompt: number): EndFrame => ({
  ...{ k: 'end', q: 1, fin: 'done', sum: 0, tm: { queue: 0, prefill: 0, total: 0 } },
  usage: usage(prompt),
});

/** A part whose worker is the test. */
class Part {
  sink: StreamSink | null = null;
  cancelled = '';
  counted: Usage | null = usage(5);

  constructor(readonly first: number) {}

  readonly open = (sink: StreamSink) => {
    this.sink = sink;
    return { cancel: (why: string) => ((this.cancelled = why), Promise.resolve(this.counted)) };
  };
}

describe('the joined streams of a request', () => {
  let parts: [Part, Part, Part];
  let events: StreamEvent[];
  let ends: EndFrame[];
  let errors: ServiceError[];
  let joined: JoinedStream;

  const begin = (atOnce: number): void => {
    parts = [new Part(0), new Part(64), new Part(128)];
    [events, ends, errors] = [[], [], []];
    joined = new JoinedStream(parts, atOnce, {
      accepted: () => undefined,
      events: (batch) => void events.push(...batch),
      end: (frame) => void ends.push(frame),
      error: (error) => void errors.push(error),
    });
  };
  beforeEach(() => begin(2));

  it('run as many parts at once as there is room for', () => {
    expect(parts.map(({ sink }) => sink !== null)).toEqual([true, true, false]);
    parts[1].sink?.end(end(1));
    expect(parts[2].sink).not.toBeNull();
  });

  it('number vectors over all parts, and add their counts', () => {
    parts[1].sink?.events([{ k: 'vec', i: 3, x: 'b' }]);
    parts[0].sink?.events([
      { k: 'start', prompt: 9 },
      { k: 'vec', i: 0, x: 'a' },
    ]);
    expect(events).toEqual([
      { k: 'vec', i: 67, x: 'b' },
      { k: 'vec', i: 0, x: 'a' },
    ]);
    // The third part begins when the first has ended.
    for (const [i, part] of parts.entries()) part.sink?.end(end(i + 1));
    expect(ends.map((frame) => frame.usage)).toEqual([usage(6)]);
    expect(events.at(-1)).toEqual({ k: 'start', prompt: 3 });
  });

  it('fail once, name the text, and end the other parts', () => {
    parts[1].sink?.error(new ServiceError('context_length_exceeded', 'Too long.', { param: 'input[2]' }));
    parts[0].sink?.error(new ServiceError('engine_error', 'Later.'));
    parts[0].sink?.events([{ k: 'vec', i: 0, x: 'a' }]);
    expect(errors.map(({ code, param }) => [code, param])).toEqual([['context_length_exceeded', 'input[66]']]);
    expect([parts[0].cancelled, parts[2].sink, events]).toEqual(['context_length_exceeded', null, []]);
  });

  it('count what ended and what was cancelled', async () => {
    parts[0].sink?.end(end(7));
    expect(await joined.cancel('client_left')).toEqual(usage(17));
    expect([parts[1].cancelled, parts[2].cancelled]).toEqual(['client_left', 'client_left']);
  });

  it('know no count where no part reported one', async () => {
    for (const part of parts) part.counted = null;
    expect(await joined.cancel('client_left')).toBeNull();
    begin(2);
    parts[0].counted = null;
    expect(await joined.cancel('client_left')).toEqual({ ...usage(5), estimated: true });
  });
});
