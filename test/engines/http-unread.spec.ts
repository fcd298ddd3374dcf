import { type CanonicalRequest, textOf } from '@slipway/contracts';
import { createLogger, ThreadPool } from '@slipway/platform';
import { jsonAnswer, PLAYED_PROMPT_TOKENS, playUpstream } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, EngineRun, run, until } from './engine-run.js';
import { UpstreamBench } from './upstream-bench.js';

const DIST_THREAD = new URL('../../libs/engine-http/dist/prepare-thread.js', import.meta.url);
const never = new AbortController().signal;
const unread = (req: CanonicalRequest): Uint8Array =>
  Buffer.from(JSON.stringify({ st: 's', at: 1, dep: 7, rev: 1, api: 'chat', caps: [], req }));
/** As many messages as a body of 3 MB holds. */
const MANY = ask('', {
  messages: Array.from({ length: 50_000 }, (_, i) => ({ role: 'user', content: [{ type: 'text', text: `m${i}` }] })),
});

/** One text that is passed on as it stands. */
const LONG = ask('Größe "x"\n😀 lorem ipsum dolor sit amet. '.repeat(2_000));

describe('the http engine, given a large unread request,', () => {
  const bench = new UpstreamBench();
  let readers: ThreadPool;
  beforeAll(() => {
    readers = new ThreadPool({ threadUrl: DIST_THREAD, threads: 2, taskMs: 20_000, log: createLogger('test', 'silent') });
  });
  afterAll(() => readers.close());

  it('sends its server what it would have sent of one that was read, and answers the same', async () => {
    const engine = await bench.loaded({ readers });
    expect(engine.takesUnread).toBe(true);
    const request = { ...MANY, max_tokens: 40, stop: ['never'] };
    const answers = [await run(engine, unread(request)), await run(engine, request)];
    expect(answers.map(({ text }) => text)).toEqual(['Hello there', 'Hello there']);
    const [first, second] = bench.upstream.chats;
    expect(first?.['messages']).toHaveLength(50_000);
    expect(first).toEqual(second);
  });

  it('passes on long texts without a thread, to the same end', async () => {
    const engine = await bench.loaded({
      readers: { run: () => Promise.reject(new Error('There is no thread.')) } as unknown as ThreadPool,
    });
    const request = { ...LONG, max_tokens: 40, stop: ['never'] };
    const answer = new EngineRun(engine, unread(request));
    await answer.usage;
    expect(answer.facts).toMatchObject({ promptBytes: Buffer.byteLength(textOf(LONG.messages[0]!)), images: 0, maxTokens: 40 });
    await run(engine, request);
    const [first, second] = bench.upstream.chats;
    expect(first).toEqual(second);
    const said = 'lorem ipsum dolor sit amet. Größe "x"';
    bench.upstream.answer = () => jsonAnswer(400, { error: { message: `I do not like: ${said}` } });
    const refused = (await run(engine, unread(LONG)).catch((error: unknown) => error)) as Error;
    expect(refused.message).toContain('I do not like');
    expect(refused.message).not.toMatch(/lorem|ipsum/);
  });

  it('reports what the request asks before its first event', async () => {
    const engine = await bench.loaded({ readers });
    const answer = new EngineRun(engine, unread(ask('Hello', { max_tokens: 3 })));
    await answer.usage;
    expect(answer.facts).toEqual({ promptBytes: 5, images: 0, maxTokens: 3, choices: 1 });
  });

  it('counts it, and masks in a refusal what it quotes of it', async () => {
    playUpstream(bench.upstream, 'llama-server', 'text');
    const engine = await bench.loaded({ readers });
    const some = { ...MANY, messages: MANY.messages.slice(0, 10_000) };
    expect(await engine.count(unread(some), never)).toEqual({ tokens: PLAYED_PROMPT_TOKENS, exact: true });
    const secret = 'a secret that the prompt\nholds "in quotes"';
    bench.upstream.answer = () => jsonAnswer(400, { error: { message: `I do not like: ${secret}` } });
    const refused = await run(engine, unread(ask(secret))).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_value' });
    expect((refused as Error).message).toContain('I do not like');
    expect((refused as Error).message).not.toMatch(/secret|prompt|holds|in quotes/);
  });

  it('refuses what its server cannot do, leaves with who leaves, and gives its slot back', async () => {
    playUpstream(bench.upstream, 'ollama', 'text');
    const engine = await bench.loaded({ readers, slots: 1 });
    await expect(run(engine, unread(ask('Hi', { n: 2 })))).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'n' });
    await expect(run(engine, Buffer.from('{"st"'))).rejects.toMatchObject({ code: 'internal' });
    const leaving = new EngineRun(engine, unread(MANY));
    await until('it holds the slot', () => engine.current().running === 1);
    leaving.abort();
    await leaving.usage;
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
  });
});
