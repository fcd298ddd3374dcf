import type { CanonicalRequest, TokenLogprob } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaEngine } from '../../../libs/engine-llama/src/llama-engine.js';
import { demoEngine, endless, isIdle } from '../demo-engine.js';
import { EngineRun, ask, message, run, until } from '../engine-run.js';

const wild = { temperature: 1.5, top_k: 0, top_p: 1, seed: 5 };

describe('the forms of an answer', () => {
  let engine: LlamaEngine;

  beforeAll(async () => {
    engine = await demoEngine();
  });
  afterAll(async () => {
    await engine.unload();
  });

  it('an answer follows its JSON schema, however the model is sampled', async () => {
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer', minimum: 0, maximum: 150 }, kind: { enum: ['cat', 'dog'] }, ok: { type: 'boolean' } },
      required: ['age', 'kind', 'ok'],
      additionalProperties: false,
    };
    for (const seed of [1, 2, 3]) {
      const answer = await run(
        engine,
        ask('Hello', { output: { kind: 'json_schema', schema }, sampling: { ...wild, seed }, max_tokens: 300 }),
      );
      const { age, kind, ok } = JSON.parse(answer.text) as { age: number; kind: string; ok: boolean };
      expect([Number.isInteger(age) && age >= 0 && age <= 150, ['cat', 'dog'].includes(kind), typeof ok]).toEqual([true, true, 'boolean']);
      expect(answer.fin?.r).toBe('stop');
    }
  });

  it('an answer is a JSON object, matches a regular expression, is a choice, follows a grammar', async () => {
    const form = (output: CanonicalRequest['output'], more: Partial<CanonicalRequest> = {}) =>
      run(engine, ask('Give me a JSON object with the keys name and age.', { output, max_tokens: 200, ...more }));
    expect(typeof JSON.parse((await form({ kind: 'json_object' })).text)).toBe('object');
    expect((await form({ kind: 'regex', pattern: '[a-c]{2}-\\d{3}' })).text).toMatch(/^[a-c]{2}-\d{3}$/);
    expect(['left', 'right or "so"\n']).toContain((await form({ kind: 'choice', options: ['left', 'right or "so"\n'] })).text);
    expect((await form({ kind: 'grammar', grammar: 'root ::= "x" y\ny ::= [0-9]' })).text).toMatch(/^x[0-9]$/);
  });

  it('an answer with tools at hand is a call or follows its form', async () => {
    const tools = [{ name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
    const output = { kind: 'choice' as const, options: ['yes', 'no'] };
    const call = await run(engine, ask('What is the weather in Paris?', { tools, output }));
    expect(call.fin?.r).toBe('tool_calls');
    const word = await run(engine, ask('Hello', { tools, output }));
    expect(word.fin?.r === 'tool_calls' ? 'yes' : word.text).toMatch(/^(yes|no)$/);
  });

  it('a form that cannot be kept is refused with the field that asks for it', async () => {
    const cases: [Partial<CanonicalRequest>, string][] = [
      [{ output: { kind: 'json_schema', schema: { type: 5 } } }, 'response_format'],
      [{ output: { kind: 'regex', pattern: '(?=a)' } }, 'structured_outputs'],
      [{ output: { kind: 'grammar', grammar: 'root ::= undefined-rule' } }, 'structured_outputs'],
      [{ output: { kind: 'grammar', grammar: 'root ::= root "x"' } }, 'structured_outputs'],
    ];
    for (const [more, param] of cases) await expect(run(engine, ask('Hello', more))).rejects.toMatchObject({ param });
    expect(isIdle(engine)()).toBe(true);
  });

  it('what no grammar holds of a schema is left out alone, and named before the answer begins', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer', not: { const: 3 } } }, required: ['n'] };
    const answer = await run(engine, ask('Hello', { output: { kind: 'json_schema', schema }, max_tokens: 60 }));
    expect(answer.relaxed).toEqual(['/properties/n/not']);
    expect(answer.events[0]).toMatchObject({ k: 'start', relaxed: ['/properties/n/not'] });
    expect(Number.isInteger((JSON.parse(answer.text) as { n: number }).n)).toBe(true);
    const tools = [{ name: 'take', parameters: schema }];
    const called = await run(engine, ask('Hello', { tools, tool_choice: 'required', max_tokens: 60 }));
    expect(called.events[0]).toMatchObject({ relaxed: ['take:/properties/n/not'] });
    expect(Number.isInteger((JSON.parse(called.calls[0]!.args) as { n: number }).n)).toBe(true);
  });

  it('a strict answer that breaks its whole schema ends with an error, and never looks complete', async () => {
    const schemaOf = (not: object) => ({ type: 'object', properties: { n: { type: 'integer', not } }, required: ['n'] });
    for (const [not, breaks] of [
      [{ type: 'integer' }, true],
      [{ type: 'string' }, false],
    ] as const) {
      const schema = schemaOf(not);
      for (const more of [
        { output: { kind: 'json_schema', schema, strict: true } },
        { tools: [{ name: 'take', parameters: schema, strict: true }], tool_choice: 'required' },
      ] as Partial<CanonicalRequest>[]) {
        const answer = new EngineRun(engine, ask('Hello', { ...more, max_tokens: 80 }));
        if (breaks) await expect(answer.usage).rejects.toMatchObject({ code: 'engine_error' });
        else await answer.usage;
        expect(answer.fin === undefined).toBe(breaks);
      }
    }
  });

  it('a message that was begun is continued word by word, and only the continuation is answered', async () => {
    const whole = (await run(engine, ask('Who are you?'))).text;
    const begun = whole.slice(0, whole.indexOf(' ', 10));
    const messages = [message('user', 'Who are you?'), message('assistant', begun)];
    const answer = await run(engine, ask('', { messages, continue_final: true }));
    expect(begun + answer.text).toBe(whole);
    const request = ask('', { messages, continue_final: true });
    expect((await engine.count(request, new AbortController().signal)).tokens).toBe((await answer.usage).prompt);
    await expect(run(engine, ask('Hello', { continue_final: true }))).rejects.toMatchObject({ param: 'continue_final_message' });
  });
});

/** The answer's probabilities, one for each token that wrote something. */
const logprobsOf = ({ events }: EngineRun): TokenLogprob[] => events.flatMap((event) => (event.k === 'text' ? (event.lp ?? []) : []));

describe('probabilities and lengths', () => {
  let engine: LlamaEngine;

  beforeAll(async () => {
    engine = await demoEngine();
  });
  afterAll(async () => {
    await engine.unload();
  });

  it('every token of the text has its probability, with alternatives, best first', async () => {
    const answer = await run(engine, ask('Who are you?', { logprobs: 3 }));
    const found = logprobsOf(answer);
    expect(found.map(({ t }) => t).join('')).toBe(answer.text);
    // The end token counts, and writes nothing.
    expect(found.length).toBe((await answer.usage).completion - 1);
    for (const { t, p, top = [] } of found) {
      expect(p).toBeLessThanOrEqual(0);
      expect(top).toHaveLength(3);
      expect(top.map((each) => each.p)).toEqual(top.map((each) => each.p).toSorted((a, b) => b - a));
      expect(top[0]).toEqual({ t, p });
      expect(top.reduce((sum, each) => sum + Math.exp(each.p), 0)).toBeLessThanOrEqual(1.0001);
    }
    expect(answer.text).toBe((await run(engine, ask('Who are you?'))).text);
  });

  it('they are those of the model, whatever is sampled: sampling and weights do not change them', async () => {
    const first = async (sampling: CanonicalRequest['sampling']) =>
      logprobsOf(await run(engine, ask('Who are you?', { logprobs: 20, sampling, max_tokens: 1 })))[0]!;
    const raw = (await first({ temperature: 0 })).top!;
    for (const sampling of [
      { ...wild, temperature: 0.3 },
      { top_k: 5, seed: 9 },
      { temperature: 0, logit_bias: { '100': 50 } },
    ]) {
      const { t, p, top } = await first(sampling);
      for (const [i, each] of top!.entries()) expect(each.p).toBeCloseTo(raw[i]!.p, 3);
      const same = raw.find((each) => each.t === t);
      if (same) expect(p).toBeCloseTo(same.p, 3);
    }
    expect(raw.reduce((sum, { p }) => sum + Math.exp(p), 0)).toBeLessThanOrEqual(1.0001);
  });

  it('sampling with probabilities is as reproducible as without', async () => {
    const request = (seed: number) => ask('Tell me a story.', { logprobs: 0, sampling: { temperature: 1.2, seed }, max_tokens: 40 });
    const [one, two, other] = [await run(engine, request(1)), await run(engine, request(1)), await run(engine, request(2))];
    expect(two.text).toBe(one.text);
    expect(other.text).not.toBe(one.text);
  });

  it('the same seed gives the same text with and without probabilities', async () => {
    for (const seed of [0, 1, 2, 3]) {
      const sampling = { temperature: 1.4, seed, frequency_penalty: 0.3, logit_bias: { '100': -5 } };
      const request = ask('Tell me a joke.', { sampling, max_tokens: 60 });
      expect((await run(engine, { ...request, logprobs: 2 })).text).toBe((await run(engine, request)).text);
    }
  });

  it('a form is kept with probabilities, and they are those of before the form', async () => {
    const output = { kind: 'json_schema' as const, schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } };
    const plain = await run(engine, ask('Who are you?', { logprobs: 20, max_tokens: 1 }));
    for (const sampling of [{ temperature: 0 }, { ...wild, seed: 5 }]) {
      const request = ask('Who are you?', { output, sampling, max_tokens: 60 });
      const answer = await run(engine, { ...request, logprobs: 20 });
      const found = logprobsOf(answer);
      expect(Number.isInteger((JSON.parse(answer.text) as { n: number }).n)).toBe(true);
      expect(found.map(({ t }) => t).join('')).toBe(answer.text);
      expect(answer.text).toBe((await run(engine, request)).text);
      for (const [i, each] of found[0]!.top!.entries()) expect(each.p).toBeCloseTo(logprobsOf(plain)[0]!.top![i]!.p, 3);
    }
  });

  it('a form ends where nothing can follow it, also before min_tokens and with ignore_eos', async () => {
    const output = { kind: 'choice' as const, options: ['yes', 'no'] };
    for (const sampling of [{ min_tokens: 20 }, { ignore_eos: true }]) {
      const answer = await run(engine, ask('Hello', { output, sampling: { temperature: 0, ...sampling }, max_tokens: 40 }));
      expect([['yes', 'no'].includes(answer.text), answer.fin]).toEqual([true, { k: 'fin', r: 'stop' }]);
    }
    const letters = { kind: 'regex' as const, pattern: '[a-z ]+' };
    const long = await run(engine, ask('Hello', { output: letters, sampling: { temperature: 0, min_tokens: 20 }, max_tokens: 40 }));
    expect((await long.usage).completion).toBeGreaterThanOrEqual(20);
    expect(long.text).toMatch(/^[a-z ]+$/);
  });

  it('stopped text has the probabilities of what is left of it', async () => {
    const whole = (await run(engine, ask('Who are you?'))).text;
    const stopped = await run(engine, ask('Who are you?', { logprobs: 0, stop: [whole.slice(9, 22)] }));
    expect(stopped.fin?.r).toBe('stop_sequence');
    expect(
      logprobsOf(stopped)
        .map(({ t }) => t)
        .join('')
        .startsWith(stopped.text),
    ).toBe(true);
    expect(stopped.counted).toBe((await stopped.usage).completion);
  });

  it('an answer does not end before min_tokens, and not at all with ignore_eos', async () => {
    const { completion } = await (await run(engine, ask('Hello'))).usage;
    const longer = await run(
      engine,
      ask('Hello', { sampling: { temperature: 0, min_tokens: completion + 20 }, max_tokens: completion + 60 }),
    );
    expect((await longer.usage).completion).toBeGreaterThan(completion + 20);
    const forever = await run(engine, ask('Hello', { sampling: { temperature: 0, ignore_eos: true }, max_tokens: completion + 30 }));
    expect(forever.fin).toEqual({ k: 'fin', r: 'length' });
    expect((await forever.usage).completion).toBe(completion + 30);
    const held = await run(
      engine,
      ask('Hello', { sampling: { temperature: 0, min_tokens: 3 }, stop: (await run(engine, ask('Hello'))).text.split('').slice(0, 1) }),
    );
    expect((await held.usage).completion).toBeGreaterThanOrEqual(3);
  });

  it('a stop token ends an answer without writing anything', async () => {
    const answer = await run(engine, endless({ sampling: { temperature: 0, logit_bias: { '100': 100 }, stop_token_ids: [100] } }));
    expect([answer.text, answer.fin]).toEqual(['', { k: 'fin', r: 'stop' }]);
    expect(await answer.usage).toMatchObject({ completion: 1 });
  });
});

describe('several choices', () => {
  it('have each their own text and one end, the prompt counted once', async () => {
    const engine = await demoEngine({ slots: 2 });
    const request = ask('Tell me a story about a robot named Zoe.', { n: 5, sampling: { temperature: 1.5, seed: 3 }, max_tokens: 30 });
    const answer = await run(engine, request);
    const texts = Array.from({ length: 5 }, (_, c) =>
      answer.events.map((event) => (event.k === 'text' && (event.c ?? 0) === c ? event.x : '')).join(''),
    );
    expect(new Set(texts).size).toBe(5);
    expect(
      answer.events
        .filter(({ k }) => k === 'fin')
        .map((event) => ('c' in event ? event.c : 0))
        .toSorted((a, b) => Number(a) - Number(b)),
    ).toEqual([0, 1, 2, 3, 4]);
    const usage = await answer.usage;
    expect(usage.prompt).toBe((await (await run(engine, { ...request, n: 1 })).usage).prompt);
    expect(answer.counted).toBe(usage.completion);
    expect(answer.events.filter(({ k }) => k === 'start')).toHaveLength(1);
    const again = await run(engine, request);
    for (const [c, text] of texts.entries())
      expect(again.events.map((event) => (event.k === 'text' && (event.c ?? 0) === c ? event.x : '')).join('')).toBe(text);
    await engine.unload();
  });

  it('are made one after the other where all other slots are taken, and give back what they took', async () => {
    const engine = await demoEngine({ slots: 2 });
    const running = new EngineRun(engine, endless());
    await until('one runs', () => running.counted > 0);
    const answer = await run(engine, ask('Hello', { n: 3, max_tokens: 5 }));
    expect(answer.events.filter(({ k }) => k === 'fin')).toHaveLength(3);
    running.abort();
    await until('all slots free', isIdle(engine));
    const cut = new EngineRun(engine, endless({ n: 4 }));
    await until('it answers', () => cut.counted > 3);
    expect(engine.current().running).toBe(2);
    cut.abort();
    await until('all slots free again', isIdle(engine));
    expect((await cut.usage).completion).toBeGreaterThan(3);
    await engine.unload();
  });
});
