import { gzipSync } from 'node:zlib';
import { ScriptedUpstream, chatChunk, chatStream, jsonAnswer, sseEvent, type UpstreamScript, type UpstreamStep } from '@slipway/testing';
import { describe, expect, it } from 'vitest';
import { EngineRun, ask, run, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

describe('the http engine', () => {
  const bench = new UpstreamBench();

  describe('refuses as a failure of the engine', () => {
    it.each<[string, UpstreamStep[]]>([
      ['a stream that ends without a finish_reason', [chatChunk({ content: 'half' })]],
      ['a stream that ends with [DONE] alone', [chatChunk({ content: 'half' }), sseEvent('[DONE]')]],
      ['headers alone before the connection breaks', [{ cut: true }]],
      [
        'a connection that breaks within an event',
        [chatChunk({ content: 'half' }), { write: 'data: {"cho' }, { pauseMs: 20 }, { cut: true }],
      ],
      ['an end that the stream cuts off', [chatChunk({ content: 'half' }), { write: 'data: {"choices":[{"index":0,"delta":{},"finish_' }]],
      ['a connection that breaks', [chatChunk({ content: 'half' }), { pauseMs: 20 }, { cut: true }]],
      [
        'an error in mid-stream',
        [chatChunk({ content: 'half' }), sseEvent({ error: { message: 'secret', code: 500 } }), sseEvent('[DONE]')],
      ],
      ['finish_reason abort', [chatChunk({ content: 'half' }), chatChunk({}, 'abort'), sseEvent('[DONE]')]],
      ['finish_reason error', [chatChunk({ content: 'half' }), chatChunk({}, 'error')]],
      ['garbage in place of JSON', [chatChunk({ content: 'half' }), sseEvent('{"choices":'), chatChunk({}, 'stop')]],
      ['chunks of another shape', [sseEvent({ choices: [{ index: 0, delta: { content: ['x'] } }] }), chatChunk({}, 'stop')]],
      ['bytes that are no text', [{ write: Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3, 0x28, 0x0a, 0x0a]) }, chatChunk({}, 'stop')]],
      [
        'an event of more than 8 Mi characters',
        [
          { write: 'data: {"choices":[{"index":0,"delta":{"content":"' },
          ...Array.from({ length: 33 }, () => ({ write: 'x'.repeat(256 * 1024) })),
          { write: '"},"finish_reason":"stop"}]}\n\n' },
        ],
      ],
      ['nothing', []],
    ])('%s', async (_name, steps) => {
      const engine = await bench.scripted(...steps);
      const answer = new EngineRun(engine, ask('Hi'));
      await expect(answer.usage).rejects.toMatchObject({ code: 'engine_error', message: expect.not.stringContaining('secret') as string });
      expect(answer.fin).toBeUndefined();
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
      await until('the stream is closed', () => bench.upstream.live === 0);
    });

    it.each<[string, UpstreamScript]>([
      ['no stream', jsonAnswer(200, { choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] })],
      ['a page', { headers: { 'content-type': 'text/html' }, steps: [{ write: '<html>secret</html>' }] }],
      [
        'shorter than it said',
        {
          headers: { 'content-type': 'text/event-stream', 'content-length': '5000' },
          steps: [chatChunk({ content: 'x' }), { pauseMs: 20 }, { cut: true }],
        },
      ],
      ['an error of its own', jsonAnswer(200, { error: 'secret' })],
      [
        'compressed unasked',
        {
          headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
          steps: [{ write: gzipSync('data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n') }],
        },
      ],
    ])('an answer that is %s', async (_name, script) => {
      bench.upstream.answer = () => script;
      const refused = await run(await bench.loaded(), ask('Hi')).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'engine_error', message: expect.not.stringContaining('secret') as string });
    });

    it('a redirect, which it does not follow', async () => {
      const other = await ScriptedUpstream.start(() => chatStream(['stolen']));
      bench.upstream.answer = () => ({ status: 307, headers: { location: `${other.url}/v1/chat/completions` }, steps: [] });
      await expect(run(await bench.loaded({ credential: 'secret' }), ask('Hi'))).rejects.toMatchObject({ code: 'engine_error' });
      expect(other.requests).toEqual([]);
      await other.stop();
    });

    it('a server that is gone', async () => {
      const engine = await bench.loaded();
      await bench.upstream.stop();
      await expect(run(engine, ask('Hi'))).rejects.toMatchObject({ code: 'engine_error' });
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
    });
  });

  describe('answers an upstream’s refusal', () => {
    it.each([
      [400, { error: { message: 'bad: a secret of somebody', param: 'temperature' } }, { code: 'invalid_value', param: 'temperature' }],
      [
        400,
        { error: { message: "This model's maximum context length is 10 tokens. (20 in the messages, 1 in the completion)" } },
        { code: 'context_length_exceeded', facts: { tokens: 20, context: 10 } },
      ],
      [401, { error: { message: 'bad key secret' } }, { code: 'engine_error' }],
      [404, { detail: 'no model for a secret of somebody' }, { code: 'engine_error' }],
      [500, 'secret', { code: 'engine_error' }],
    ])('with status %i in the words of the public contract', async (status, body, expected) => {
      bench.upstream.answer = () => jsonAnswer(status, body);
      const refused = await run(await bench.loaded(), ask('a secret of somebody')).catch((error: unknown) => error);
      expect(refused).toMatchObject(expected);
      expect((refused as Error).message).not.toContain('secret');
    });

    it('that comes as the first event of a stream, like one that comes before it', async () => {
      const error = { code: 400, message: 'request (20 tokens) exceeds the available context size (10 tokens)', type: 'secret' };
      const engine = await bench.scripted(sseEvent({ error }));
      await expect(run(engine, ask('Hi'))).rejects.toMatchObject({ code: 'context_length_exceeded', facts: { tokens: 20, context: 10 } });
      const late = await bench.scripted(chatChunk({ content: 'half' }), sseEvent({ error }));
      await expect(run(late, ask('Hi'))).rejects.toMatchObject({ code: 'engine_error' });
    });

    it.each([
      [{ code: '429', message: 'slow down' }, { code: 'overloaded' }],
      [{ code: 'context_length_exceeded', message: 'too long' }, { code: 'context_length_exceeded' }],
      [
        { code: 400, message: 'no', param: 'top_p' },
        { code: 'invalid_value', param: 'top_p' },
      ],
      [{ code: 200, message: 'secret' }, { code: 'engine_error' }],
    ])('that comes with status 200 (%j), as a body or as a stream', async (error, expected) => {
      const refused = async (): Promise<unknown> => await run(await bench.loaded(), ask('Hi')).catch((thrown: unknown) => thrown);
      bench.upstream.answer = () => jsonAnswer(200, { error });
      expect(await refused()).toMatchObject(expected);
      bench.upstream.answer = () => ({ steps: [sseEvent({ error })] });
      expect(await refused()).toMatchObject(expected);
    });

    it.each([429, 503, 529])('of status %i with the time to come back', async (status) => {
      bench.upstream.answer = () => jsonAnswer(status, {}, { 'retry-after': '12' });
      await expect(run(await bench.loaded(), ask('Hi'))).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 12 });
    });

    it('of a limit above the room left by asking once more with the room', async () => {
      const complaint =
        "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 96 input tokens (5000 > 4096 - 96).";
      bench.upstream.answer = ({ body }) =>
        (body as { max_tokens: number }).max_tokens > 4_000 ? jsonAnswer(400, { error: { message: complaint } }) : chatStream(['ok']);
      expect((await run(await bench.loaded(), ask('Hi', { max_tokens: 5_000 }))).text).toBe('ok');
      expect(bench.upstream.chats.map((body) => body['max_tokens'])).toEqual([5_000, 4_000]);
    });
  });

  describe('stops', () => {
    it.each<[string, UpstreamStep[]]>([
      ['before the headers matter', [{ hang: true }]],
      ['in mid-stream', [chatChunk({ content: 'a' }), { hang: true }]],
    ])('the upstream when its caller leaves %s, and frees the slot', async (_name, steps) => {
      const engine = await bench.scripted(...steps);
      const answer = new EngineRun(engine, ask('12345678'));
      await until('the upstream has the request', () => bench.upstream.live === 1 && (steps.length === 1 || answer.text === 'a'));
      answer.abort();
      const usage = await answer.usage;
      expect(usage).toEqual(
        steps.length === 1
          ? { prompt: 0, cached: 0, completion: 0, estimated: true }
          : { prompt: 2, cached: 0, completion: 1, estimated: true },
      );
      expect(engine.current()).toEqual({ running: 0, queued: 0 });
      await until('the upstream sees it', () => bench.upstream.abandoned === 1 && bench.upstream.live === 0);
      expect(answer.fin).toBeUndefined();
    });

    it('no upstream that lets a request wait in its queue', async () => {
      const waiting = Array.from({ length: 30 }, () => [{ write: ': queued\n\n' }, { pauseMs: 20 }]).flat();
      bench.upstream.answer = () => ({
        steps: [chatChunk({ role: 'assistant', content: '' }), ...waiting, chatChunk({ content: 'At last' }), chatChunk({}, 'stop')],
      });
      const engine = await bench.loaded();
      expect((await run(engine, ask('Hi'))).text).toBe('At last');
    });

    it('no upstream that is slow but alive', async () => {
      const pieces = Array.from({ length: 8 }, (_, i) => [chatChunk({ content: `${i}` }), { pauseMs: 40 }]).flat();
      bench.upstream.answer = () => ({ steps: [...pieces, chatChunk({}, 'stop')] });
      const engine = await bench.loaded();
      expect((await run(engine, ask('Hi'))).text).toBe('01234567');
    });

    it('what runs and what waits when it is unloaded, as an error and not as an answer', async () => {
      bench.upstream.answer = () => ({ steps: [chatChunk({ content: 'a' }), { hang: true }] });
      const engine = await bench.loaded({ slots: 1 });
      const running = new EngineRun(engine, ask('Hi'));
      const waiting = new EngineRun(engine, ask('Hi'));
      await until('one runs', () => running.text === 'a');
      await engine.unload();
      await expect(running.usage).rejects.toMatchObject({ code: 'server_shutting_down' });
      await expect(waiting.usage).rejects.toMatchObject({ code: 'server_shutting_down' });
      await expect(run(engine, ask('Hi'))).rejects.toMatchObject({ code: 'server_shutting_down' });
      await until('the stream is closed', () => bench.upstream.live === 0);
    });
  });
});
