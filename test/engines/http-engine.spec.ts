import { chatChunk, chatStream, sseEvent, usageChunk, type UpstreamStep } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import { EngineRun, ask, message, run, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

describe('the http engine', () => {
  const bench = new UpstreamBench();

  describe('relays', () => {
    it('an answer in the events of every engine, with the usage of the upstream', async () => {
      const answer = await run(await bench.loaded(), ask('Hi'));
      expect(answer.events).toEqual([
        { k: 'start', prompt: expect.any(Number) as number },
        // The scripted server sends both at once.
        { k: 'text', x: 'Hello there', n: 2 },
        { k: 'fin', r: 'stop' },
      ]);
      expect(await answer.usage).toEqual({ prompt: 7, cached: 0, completion: 2 });
      expect(answer.phases).toEqual(['queue', 'prefill', 'decode']);
    });

    it('the request as a stream with usage, with a bearer credential and nothing that was not asked for', async () => {
      const engine = await bench.loaded({ credential: 'secret', defaultMaxTokens: 9 });
      await run(engine, ask('', { messages: [message('system', 'S'), message('user', 'U')], sampling: {} }));
      expect(bench.upstream.chats).toEqual([
        {
          model: 'scripted',
          messages: [
            { role: 'system', content: 'S' },
            { role: 'user', content: 'U' },
          ],
          stream: true,
          stream_options: { include_usage: true },
          max_tokens: 9,
        },
      ]);
      await run(engine, ask('Hi', { fills_context: true }));
      expect(bench.upstream.chats[1]).not.toHaveProperty('max_tokens');
      const sent = (name: string): Set<unknown> => new Set(bench.upstream.requests.map(({ headers }) => headers[name]));
      expect(sent('authorization')).toEqual(new Set(['Bearer secret']));
      expect(sent('accept-encoding')).toEqual(new Set(['identity']));
    });

    it('what arrives at once, without waiting for the rest', async () => {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const engine = await bench.scripted(chatChunk({ content: 'first' }), { until: gate }, chatChunk({ content: 'second' }, 'stop'));
      const answer = new EngineRun(engine, ask('Hi'));
      await until('the first token', () => answer.text === 'first');
      expect(answer.fin).toBeUndefined();
      release();
      expect((await answer.done()).text).toBe('firstsecond');
    });

    it('the same answer however the network cuts it, in characters too', async () => {
      const whole = Buffer.from(
        [
          ': ping',
          '',
          'data: {"choices":[{"index":0,"delta":{"content":"é😀"}}]}',
          '',
          'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
          '',
          '',
        ].join('\r\n'),
      );
      for (let at = 1; at < whole.length; at += 7) {
        const engine = await bench.scripted({ write: whole.subarray(0, at) }, { pauseMs: 1 }, { write: whole.subarray(at) });
        expect((await run(engine, ask('Hi'))).text).toBe('é😀');
      }
    });

    it('reasoning apart from the answer, under both of its names', async () => {
      const engine = await bench.scripted(
        chatChunk({ reasoning_content: 'a' }),
        chatChunk({ reasoning: 'b' }),
        chatChunk({ content: 'c' }),
        chatChunk({}, 'stop'),
      );
      const { events } = await run(engine, ask('Hi'));
      // The scripted server sends all of it at once.
      expect(events.slice(1, 3)).toEqual([
        { k: 'think', x: 'ab', n: 2 },
        { k: 'text', x: 'c', n: 1 },
      ]);
    });

    it('the finish reason, and the stop string where the upstream names it', async () => {
      const long = await bench.scripted(chatChunk({ content: 'x' }), chatChunk({}, 'length'));
      expect((await run(long, ask('Hi'))).fin).toEqual({ k: 'fin', r: 'length' });
      const stop = await bench.scripted(sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }] }));
      expect((await run(stop, ask('Hi', { stop: ['END'] }))).fin).toEqual({ k: 'fin', r: 'stop_sequence', stop: 'END' });
    });
  });

  describe('tolerates', () => {
    it.each<[string, UpstreamStep[]]>([
      [
        'no role chunk, null content, extra fields',
        [chatChunk({ content: null }), chatChunk({ content: 'ok', foo: 1 }), chatChunk({}, 'stop'), sseEvent('[DONE]')],
      ],
      ['content and finish in one chunk', [chatChunk({ content: 'ok' }, 'stop'), sseEvent('[DONE]')]],
      [
        'a finish chunk without delta',
        [chatChunk({ content: 'ok' }), sseEvent({ choices: [{ index: 0, delta: null, finish_reason: 'stop' }] })],
      ],
      ['no [DONE] after the finish', [chatChunk({ content: 'ok' }), chatChunk({}, 'stop')]],
      [
        'comments and empty events',
        [{ write: ': hi\n\ndata:\n\n' }, chatChunk({ content: 'ok' }), { write: ':\n\n' }, chatChunk({}, 'stop')],
      ],
      [
        'fields without a space, names, ids and retries of events, and data on several lines',
        [
          { write: '\uFEFFretry:5\nid:7\nevent:message\ndata:{"choices":[{"index":0,\ndata:"delta":{"content":"ok"}}]}\n\n' },
          { write: 'data:{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\rdata:[DONE]\n\n' },
        ],
      ],
      [
        'an empty finish_reason while it goes on',
        [chatChunk({ content: 'o' }, ''), chatChunk({ content: 'k', tool_calls: [] }, ''), chatChunk({}, 'stop')],
      ],
      [
        'a chunk without choices',
        [sseEvent({ id: 'x' }), chatChunk({ content: 'ok' }), sseEvent({ choices: null }), chatChunk({}, 'stop')],
      ],
      ['"error": null', [sseEvent({ error: null, choices: [{ index: 0, delta: { content: 'ok' } }] }), chatChunk({}, 'stop')]],
      ['a connection that breaks after the finish', [chatChunk({ content: 'ok' }), chatChunk({}, 'stop'), { pauseMs: 20 }, { cut: true }]],
      [
        'chatter after the end',
        [chatChunk({ content: 'ok' }), chatChunk({}, 'stop'), sseEvent('[DONE]'), chatChunk({ content: 'no' }), sseEvent('{')],
      ],
    ])('%s', async (_name, steps) => {
      const engine = await bench.scripted(...steps);
      const answer = await run(engine, ask('Hi'));
      expect(answer.text).toBe('ok');
      expect(answer.fin).toEqual({ k: 'fin', r: 'stop' });
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
    });

    it('usage on any chunk, of which the last counts, cached tokens included', async () => {
      const engine = await bench.scripted(
        sseEvent({ choices: [{ index: 0, delta: { content: 'a' } }], usage: { prompt_tokens: 5, completion_tokens: 1 } }),
        chatChunk({ content: 'b' }, 'stop'),
        usageChunk(5, 3, 4),
        sseEvent('[DONE]'),
      );
      expect(await (await run(engine, ask('Hi'))).usage).toEqual({ prompt: 5, cached: 4, completion: 3 });
    });

    it('no usage at all, and marks its own figures as an estimate', async () => {
      const engine = await bench.scripted(
        chatChunk({ content: 'a' }),
        chatChunk({ content: 'b' }),
        chatChunk({}, 'stop'),
        sseEvent('[DONE]'),
      );
      expect(await (await run(engine, ask('12345678'))).usage).toEqual({ prompt: 2, cached: 0, completion: 2, estimated: true });
    });

    it('an upstream that leaves the stream open after the end', async () => {
      bench.upstream.answer = () => ({ steps: [...chatStream(['ok']).steps, { hang: true }] });
      const engine = await bench.loaded();
      expect((await run(engine, ask('Hi'))).text).toBe('ok');
      await until('the stream is closed', () => bench.upstream.live === 0);
    });

    it('an upstream that says that it lives after the end, but not for ever', async () => {
      const pings = Array.from({ length: 300 }, () => [{ write: ': ping\n\n' }, { pauseMs: 10 }]).flat();
      bench.upstream.answer = () => ({ steps: [chatChunk({ content: 'ok' }, 'stop'), ...pings] });
      expect((await run(await bench.loaded({}, { endMs: 50 }), ask('Hi'))).text).toBe('ok');
      await until('the stream is closed', () => bench.upstream.live === 0);
      expect(bench.upstream.abandoned).toBe(1);
    });

    it('a connection that turns out to be closed, by one more attempt and no third', async () => {
      let deaf = 1;
      bench.upstream.answer = () => {
        deaf -= 1;
        return deaf >= 0 ? { deaf: true, steps: [] } : chatStream(['ok']);
      };
      const engine = await bench.loaded();
      expect((await run(engine, ask('Hi'))).text).toBe('ok');
      expect(bench.upstream.chats).toHaveLength(2);
      deaf = 10;
      await expect(run(engine, ask('Hi'))).rejects.toMatchObject({ code: 'engine_error' });
      expect(bench.upstream.chats).toHaveLength(4);
    });
  });

  it('runs as many requests as it has slots, and refuses those beyond its queue', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let most = 0;
    bench.upstream.answer = () => {
      most = Math.max(most, bench.upstream.live);
      return { steps: [{ until: gate }, ...chatStream(['ok']).steps] };
    };
    const engine = await bench.loaded({ slots: 3, queue: 2 });
    const answers = Array.from({ length: 5 }, () => new EngineRun(engine, ask('Hi')));
    await until('all places are taken', () => engine.current().running === 3 && engine.current().queued === 2);
    await expect(run(engine, ask('Hi'))).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 1 });
    await until('three are at the upstream', () => {
      most = Math.max(most, bench.upstream.live);
      return bench.upstream.live === 3;
    });
    release();
    for (const answer of answers) expect((await answer.done()).text).toBe('ok');
    expect(most).toBe(3);
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });

  it('keeps its connections for the next requests', async () => {
    const engine = await bench.loaded({ slots: 1 });
    for (let i = 0; i < 5; i += 1) await run(engine, ask('Hi'));
    // One for its requests; the others for the questions that it asks before.
    const before = bench.upstream.connections;
    for (let i = 0; i < 5; i += 1) await run(engine, ask('Hi'));
    expect(bench.upstream.connections).toBe(before);
    expect(bench.upstream.abandoned).toBe(0);
  });
});
