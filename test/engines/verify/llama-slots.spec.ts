import { afterEach, describe, expect, it, vi } from 'vitest';
import { LlamaEngine } from '../../../libs/engine-llama/src/llama-engine.js';
import { SequencePool } from '../../../libs/engine-llama/src/sequence-pool.js';
import { DEMO_MODEL, demoEngine, endless, isIdle, longText } from '../demo-engine.js';
import { EngineRun, SETTINGS, ask, run, until } from '../engine-run.js';

/** An engine with one slot, and the sequence of llama.cpp that it has for it. */
async function oneSlot(): Promise<{ engine: LlamaEngine; sequence: ReturnType<SequencePool['take']> }> {
  const taken = vi.spyOn(SequencePool.prototype, 'take');
  const engine = await demoEngine({ slots: 1 });
  return { engine, sequence: taken.mock.results[0]!.value as ReturnType<SequencePool['take']> };
}

const decodeFails = (): never => {
  throw new Error('decode failed');
};

describe('a llama engine with few slots', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('frees the slot of a request that is aborted while its prompt is read', async () => {
    const engine = await demoEngine({ slots: 1 });
    for (let round = 0; round < 3; round += 1) {
      const request = ask(longText(70, `r${round}n`), { max_tokens: 1 });
      const reading = new EngineRun(engine, request);
      await until('the prompt is being read', () => reading.phases.includes('prefill'));
      reading.abort();
      await until('the slot is free', isIdle(engine));
      const usage = await reading.usage;
      expect(usage.completion).toBe(0);
      expect(reading.events).toEqual([]);
      const whole = await (await run(engine, request)).usage;
      expect(usage.prompt).toBeLessThan(whole.prompt);
      expect(whole.cached).toBeLessThan(whole.prompt);
    }
    expect((await run(engine, ask('Hello'))).text).toMatch(/hello/i);
    await engine.unload();
  });

  it('goes on with other answers while it reads a long prompt', async () => {
    const engine = await demoEngine({ slots: 2 });
    const answering = new EngineRun(engine, endless());
    await until('the answer has begun', () => answering.counted > 0);
    const reading = new EngineRun(engine, ask(longText(90, 'p'), { max_tokens: 1 }));
    await until('the prompt is being read', () => reading.phases.includes('prefill'));
    const before = answering.counted;
    await until('the prompt is read', () => reading.phases.includes('decode'));
    expect(answering.counted - before).toBeGreaterThanOrEqual(3);
    answering.abort();
    await engine.unload();
  });

  it('gives a used slot to other requests while answers go on in the others', async () => {
    const engine = await demoEngine({ slots: 3 });
    await Promise.all(['Hello', 'What is MCP?', 'Tell me a story.'].map((text) => run(engine, ask(text))));
    const answering = [new EngineRun(engine, endless()), new EngineRun(engine, endless())];
    await until('both answer', () => answering.every((one) => one.counted > 0));
    for (const text of ['Who are you?', 'Say this is a test', 'Count from 1 to 3.']) {
      expect((await run(engine, ask(text))).fin).toBeDefined();
    }
    expect(answering.map((one) => one.fin)).toEqual([undefined, undefined]);
    for (const one of answering) one.abort();
    await engine.unload();
  });

  it('reuses nothing of a slot whose request failed', async () => {
    const { engine, sequence } = await oneSlot();
    const whole = await run(engine, ask('Who are you?'));
    vi.spyOn(sequence, 'evaluate').mockImplementationOnce(decodeFails);
    await expect(run(engine, ask('Who are you?'))).rejects.toMatchObject({ code: 'engine_error' });
    const again = await run(engine, ask('Who are you?'));
    expect([again.text, (await again.usage).cached]).toEqual([whole.text, 0]);
    await expect(engine.check()).resolves.toBeUndefined();
    await engine.unload();
  });

  it('answers nothing more once a slot that failed cannot be emptied, and says that it must be loaded anew', async () => {
    const { engine, sequence } = await oneSlot();
    vi.spyOn(sequence, 'evaluate').mockImplementationOnce(decodeFails);
    vi.spyOn(sequence, 'clearHistory').mockImplementationOnce(() => Promise.reject(new Error('still held')));
    const [first, waiting] = [new EngineRun(engine, ask('Hello')), new EngineRun(engine, ask('Hello'))];
    await expect(first.usage).rejects.toMatchObject({ code: 'engine_error' });
    await expect(waiting.usage).rejects.toMatchObject({ code: 'deployment_unavailable' });
    await expect(run(engine, ask('Hello'))).rejects.toMatchObject({ code: 'deployment_unavailable' });
    await expect(engine.check()).rejects.toMatchObject({ reason: 'engine_crashed' });
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
    await engine.unload();
  });

  it('refuses requests beyond its queue, and serves those that wait in order', async () => {
    const engine = await demoEngine({ slots: 1, queue: 2 });
    const running = new EngineRun(engine, endless());
    await until('one runs', () => engine.current().running === 1);
    const waiting = [new EngineRun(engine, ask('Hello')), new EngineRun(engine, ask('Who are you?'))];
    await until('two wait', () => engine.current().queued === 2);
    await expect(run(engine, ask('Hello'))).rejects.toMatchObject({ code: 'overloaded' });
    await running.done();
    await waiting[0]!.done();
    expect(waiting[1]!.fin).toBeUndefined();
    await waiting[1]!.done();
    await engine.unload();
  });

  it('lets a request leave the queue, which then costs nothing', async () => {
    const engine = await demoEngine({ slots: 1, queue: 2 });
    const running = new EngineRun(engine, endless());
    await until('one runs', () => engine.current().running === 1);
    const waiting = new EngineRun(engine, ask('Hello'));
    await until('one waits', () => engine.current().queued === 1);
    waiting.abort();
    expect(await waiting.usage).toEqual({ prompt: 0, cached: 0, completion: 0 });
    expect(engine.current()).toEqual({ running: 1, queued: 0 });
    running.abort();
    await until('the slot is free', isIdle(engine));
    await engine.unload();
  });

  it('keeps to the default limit of tokens where a request names none', async () => {
    const engine = await demoEngine({ slots: 1, defaultMaxTokens: 3 });
    expect(await (await run(engine, ask('Who are you?'))).usage).toMatchObject({ completion: 3 });
    expect(await (await run(engine, ask('Who are you?', { max_tokens: 5 }))).usage).toMatchObject({ completion: 5 });
    const { completion } = await (await run(engine, ask('Who are you?', { fills_context: true }))).usage;
    expect(completion).toBeGreaterThan(3);
    await engine.unload();
  });

  it('keeps to a context that is smaller than the model’s', async () => {
    const engine = new LlamaEngine(DEMO_MODEL, { ...SETTINGS, context: 256 });
    expect((await engine.load(() => undefined, new AbortController().signal)).context).toBe(256);
    await expect(run(engine, ask(longText(80, 'x')))).rejects.toMatchObject({ code: 'context_length_exceeded', facts: { context: 256 } });
    await engine.unload();
  });

  it('ends what runs and what waits when it is unloaded, as an error and not as an answer', async () => {
    const engine = await demoEngine({ slots: 1 });
    const running = new EngineRun(engine, endless());
    const waiting = new EngineRun(engine, ask('Hello'));
    await until('one runs', () => running.counted > 2);
    await Promise.all([engine.unload(), engine.unload()]);
    await expect(running.usage).rejects.toMatchObject({ code: 'server_shutting_down' });
    await expect(waiting.usage).rejects.toMatchObject({ code: 'server_shutting_down' });
    expect(running.fin).toBeUndefined();
    expect(engine.current()).toEqual({ running: 0, queued: 0 });
    await expect(run(engine, ask('Hello'))).rejects.toMatchObject({ code: 'server_shutting_down' });
    await expect(engine.check()).rejects.toMatchObject({ reason: 'engine_crashed' });
  });
});
