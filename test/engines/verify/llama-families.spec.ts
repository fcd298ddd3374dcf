import type { CanonicalRequest, StreamEvent, Tool } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ChatTemplate, templateInput } from '@slipway/model-text';
import { answerFormat } from '../../../libs/engine-llama/src/answer-format.js';
import { CallReader } from '../../../libs/engine-llama/src/tool-calls/call-reader.js';
import { ask, message, run } from '../engine-run.js';
import { TEMPLATES, THINKING_TEMPLATE } from '../family-templates.js';
import { templatedEngine } from '../templated-model.js';

const TOOLS: readonly Tool[] = [
  {
    name: 'book_room',
    description: 'Books a room.',
    parameters: {
      type: 'object',
      properties: { beds: { type: 'integer', minimum: 1, maximum: 9 }, view: { enum: ['sea', 'yard'] }, quiet: { type: 'boolean' } },
      required: ['beds', 'view'],
      additionalProperties: false,
    },
  },
];
/** `<tool_call>` in the demo model's vocabulary. */
const CALL_TOKEN = 2042;
const ARGS = { beds: 2, view: 'sea' };
const HISTORY: CanonicalRequest['messages'] = [
  message('user', 'A room, please.'),
  { role: 'assistant', content: [], tool_calls: [{ id: 'call_AbCdEf', name: 'book_room', arguments: JSON.stringify(ARGS) }] },
  { role: 'tool', content: [{ type: 'text', text: 'Booked: 17' }], tool_call_id: 'call_AbCdEf' },
];
const families = Object.entries(TEMPLATES);
const tokens = { bos: '<s>', eos: '</s>' };

function callsIn(events: readonly StreamEvent[]): { name: string; args: unknown }[] {
  const calls: { name: string; args: string }[] = [];
  for (const event of events) {
    if (event.k === 'call') calls.push({ name: event.name, args: '' });
    if (event.k === 'args') calls[event.i]!.args += event.x;
  }
  return calls.map(({ name, args }) => ({ name, args: JSON.parse(args) as unknown }));
}

describe('the template of a family', () => {
  it.each(families)('%s is known by its shape', (name, source) => {
    expect(answerFormat(ChatTemplate.parse(source, tokens)).family?.name).toBe(name);
  });

  it.each(families)('%s takes tools, calls and results, and writes calls as they are read', (_, source) => {
    const template = ChatTemplate.parse(source, tokens);
    const format = answerFormat(template);
    const render = (messages: CanonicalRequest['messages']) =>
      template.render(templateInput(ask('', { messages, tools: [...TOOLS] }), format.facts));
    const rendered = render(HISTORY);
    expect(rendered).toContain('Booked: 17');
    expect(render(HISTORY.slice(0, 1))).toContain('book_room');
    // What the template wrote as the model's turn reads as the call that it was.
    const turn = rendered.slice(rendered.indexOf('A room, please.') + 'A room, please.'.length, rendered.indexOf('Booked: 17'));
    const found: { name: string; args: string }[] = [];
    const sink = {
      text: () => undefined,
      begin: (name: string) => void found.push({ name, args: '' }),
      args: (piece: string) => void (found.at(-1)!.args += piece),
      close: () => undefined,
      broken: () => expect.fail('The list of calls is broken.'),
    };
    // Without a mark only the beginning of an answer is a call.
    const answer = format.family?.name === 'llama-json' ? turn.slice(turn.lastIndexOf('{"name"')) : turn;
    const reader = new CallReader(format.family!, sink, TOOLS);
    reader.push(answer);
    reader.end();
    expect(found.map(({ name, args }) => ({ name, args: JSON.parse(args) as unknown }))).toEqual([{ name: 'book_room', args: ARGS }]);
  });

  it.each(families)('%s: calls are forced in its own words, and read back', async (_, source) => {
    const { engine, facts, unload } = await templatedEngine(source);
    expect(facts.caps).toEqual(expect.arrayContaining(['tools', 'tool_choice']));
    for (const seed of [1, 2]) {
      const sampling = { temperature: 1.5, top_k: 0, top_p: 1, seed };
      const request = ask('A room, please.', {
        tools: [...TOOLS],
        tool_choice: 'required',
        parallel_tool_calls: false,
        sampling,
        max_tokens: 400,
      });
      const answer = await run(engine, request);
      expect(answer.fin).toEqual({ k: 'fin', r: 'tool_calls' });
      const [call, ...others] = callsIn(answer.events);
      expect([call?.name, others, answer.text]).toEqual(['book_room', [], '']);
      const { beds, view } = call!.args as { beds: number; view: string };
      expect([Number.isInteger(beds), ['sea', 'yard'].includes(view)]).toEqual([true, true]);
      const { tokens: counted } = await engine.count(request, new AbortController().signal);
      expect(counted).toBe((await answer.usage).prompt);
    }
    await unload();
  });

  it.each(families)('%s: calls that nothing requires are held from where they begin, and other text is free', async (name, source) => {
    const { engine, unload } = await templatedEngine(source);
    // The mark of three families, which is text to the others.
    const logit_bias = { [CALL_TOKEN]: 100 };
    const marked = ['hermes', 'qwen-xml', 'glm'].includes(name);
    for (const seed of [1, 2]) {
      const sampling = { temperature: 1.5, top_k: 0, top_p: 1, seed, ...(marked && { logit_bias }) };
      const answer = await run(
        engine,
        ask('A room, please.', { tools: [...TOOLS], sampling, parallel_tool_calls: false, max_tokens: 300 }),
      );
      const calls = callsIn(answer.events);
      expect([marked, calls.map((call) => call.name)]).toEqual([marked, marked ? ['book_room'] : []]);
      if (!marked) expect(answer.text).not.toBe('');
      for (const { args } of calls)
        expect(args).toMatchObject({ beds: expect.any(Number) as number, view: expect.stringMatching(/^(sea|yard)$/) as string });
    }
    await unload();
  });

  it('without tools refuses them, and offers what it can', async () => {
    const { engine, facts, unload } = await templatedEngine(THINKING_TEMPLATE);
    expect(facts.caps).toEqual(expect.arrayContaining(['reasoning', 'template_args', 'json_schema']));
    expect(facts.caps).not.toContain('tools');
    const refusal = { code: 'unsupported_parameter', param: 'tools' };
    await expect(run(engine, ask('Hello', { tools: [...TOOLS] }))).rejects.toMatchObject(refusal);
    await expect(engine.count(ask('Hello', { tools: [...TOOLS] }), new AbortController().signal)).rejects.toMatchObject(refusal);
    await unload();
  });
});

const thoughtIn = (events: readonly StreamEvent[]): string => events.map((event) => (event.k === 'think' ? event.x : '')).join('');

describe('reasoning', () => {
  it('that the template begins is kept apart, held to its budget, and left out where it is switched off', async () => {
    const { engine, unload } = await templatedEngine(THINKING_TEMPLATE);
    const thinking = await run(
      engine,
      ask('Hello', { reasoning: { budget: 8 }, sampling: { temperature: 0, ignore_eos: true }, max_tokens: 60 }),
    );
    expect(thoughtIn(thinking.events)).not.toBe('');
    expect(thoughtIn(thinking.events)).not.toContain('</think>');
    expect(thinking.text).not.toBe('');
    expect(thinking.text).not.toContain('think>');
    const { completion, reasoning = 0 } = await thinking.usage;
    expect(reasoning).toBeGreaterThanOrEqual(7);
    expect(reasoning).toBeLessThan(40);
    expect(thinking.counted).toBe(completion);

    for (const off of [
      { reasoning: { enabled: false } },
      { reasoning: { effort: 'none' as const } },
      { template_args: { enable_thinking: false } },
    ]) {
      const plain = await run(engine, ask('Hello', { ...off, max_tokens: 20 }));
      expect(thoughtIn(plain.events)).toBe('');
      expect((await plain.usage).reasoning).toBeUndefined();
    }
    await unload();
  });

  it('comes before an answer that has a form, and is no part of it', async () => {
    const { engine, unload } = await templatedEngine(THINKING_TEMPLATE);
    const output = { kind: 'choice' as const, options: ['yes', 'no'] };
    // Nothing but the letter e, until the budget ends it.
    const sampling = { temperature: 0, logit_bias: { '101': 100 } };
    const answer = await run(engine, ask('Hello', { output, reasoning: { budget: 5 }, sampling, max_tokens: 60 }));
    expect(thoughtIn(answer.events)).toMatch(/^e+$/);
    expect(['yes', 'no']).toContain(answer.text);
    await unload();
  });

  it('that a grammar of the user writes follows that grammar, and is kept apart like any other', async () => {
    const { engine, unload } = await templatedEngine(THINKING_TEMPLATE);
    const output = { kind: 'grammar' as const, grammar: 'root ::= "<think>hm</think>Hello" "!"?' };
    const answer = await run(engine, ask('Hello', { output, template_args: { enable_thinking: false }, max_tokens: 60 }));
    expect(thoughtIn(answer.events)).toBe('hm');
    expect(answer.text).toMatch(/^Hello!?$/);
    expect(answer.fin?.r).toBe('stop');
    await unload();
  });
});
