import type { CanonicalRequest } from '@slipway/contracts';
import type { LlamaScorer } from '@slipway/engine-llama';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExamplePreparer } from '../../../apps/training-worker/src/training/prepared-example.js';
import { readExample } from '../../../apps/training-worker/src/training/read-example.js';
import { demoEngine } from '../../engines/demo-engine.js';
import { EngineRun } from '../../engines/engine-run.js';
import { Random } from '../../engines/random.js';
import { openDemo } from '../training-stage.js';

/** How answers begin. Some line breaks are one token with the break before them, which ends the prompt. */
const STARTS = ['Well: ', '\n', '\n\n', '\r\n', '  ', '\t', '\n\n\n\n\n'];
/** Of these also an answer is asked for, whose usage is compared. */
const GENERATED_EVERY = 50;
const CONVERSATIONS = 3_000;
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_time',
      description: 'The time of a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];

/** A conversation as a line of a data set: with and without system message, tools, calls, rare characters and answers that begin oddly. */
function conversation(random: Random, n: number): string {
  const words = (most: number): string =>
    Array.from({ length: 1 + random.int(0, most - 1) }, () =>
      random.pick(['sun', 'Straße', '東京', '🌍', '3.14', 'don’t', '\n', 'naïve', 'x=1;']),
    ).join(' ');
  const turn = (): object[] => [
    { role: 'user', content: `${n}: ${words(12)}` },
    { role: 'assistant', content: `${random.pick(STARTS)}${words(20)}` },
  ];
  const call = { id: 'call_1', type: 'function', function: { name: 'get_time', arguments: JSON.stringify({ city: words(1) }) } };
  const called = [
    { role: 'user', content: words(5) },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: words(3) },
    { role: 'assistant', content: words(6) },
  ];
  const turns = Array.from({ length: 1 + random.int(0, 3) }, turn).flat();
  const hasTools = random.chance(0.25);
  const system = random.chance(0.5) ? [{ role: 'system', content: words(8) }] : [];
  return JSON.stringify({ messages: [...system, ...(hasTools ? called : []), ...turns], ...(hasTools && { tools: TOOLS }) });
}

let scorer: LlamaScorer;
let engine: Awaited<ReturnType<typeof demoEngine>>;
beforeAll(async () => {
  [scorer, engine] = [await openDemo(), await demoEngine()];
});
afterAll(async () => {
  await scorer?.dispose();
  await engine?.unload();
});

it('prompts of examples have as many tokens as serving counts', async () => {
  const random = new Random(17);
  const preparer = new ExamplePreparer(scorer.texts, Infinity, 'leave_out');
  const signal = new AbortController().signal;
  const differing: string[] = [];
  for (let n = 0; n < CONVERSATIONS; n += 1) {
    const line = conversation(random, n);
    const example = readExample(line);
    const prepared = example && preparer.prepare(example);
    if (!prepared || typeof prepared === 'string') throw new Error(`Conversation ${n} cannot be learned: ${prepared}`);
    const { messages, tools } = example;
    const request: CanonicalRequest = { messages: messages.slice(0, -1), sampling: {}, stop: [], ...(tools && { tools }) };
    const { tokens } = await engine.count(request, signal);
    if (tokens !== prepared.promptTokens) differing.push(`${n}: ${prepared.promptTokens}, not ${tokens}`);
    const answer = prepared.pieces.at(-1)?.content ?? '';
    const own = scorer.texts.tokenizer.tokenize(answer, false);
    if (String(prepared.tokens.slice(prepared.promptTokens)) !== String(own)) differing.push(`${n}: the tokens of its answer`);
    if (n % GENERATED_EVERY !== 0) continue;
    const { prompt } = await new EngineRun(engine, { ...request, max_tokens: 1 }).usage;
    if (prompt !== prepared.promptTokens) differing.push(`${n}: ${prepared.promptTokens}, and ${prompt} in its usage`);
  }
  expect(differing).toEqual([]);
});

it.each(['a', 'end', 'text', '<|', 'im_start'])('an example that only resembles a control token is learned: %s', (content) => {
  const preparer = new ExamplePreparer(scorer.texts, Infinity, 'leave_out');
  const line = JSON.stringify({
    messages: [
      { role: 'user', content },
      { role: 'assistant', content },
    ],
  });
  expect(preparer.prepare(readExample(line)!)).toMatchObject({ expected: content });
});

it('an example with a control token is left out', () => {
  const preparer = new ExamplePreparer(scorer.texts, Infinity, 'leave_out');
  const messages = [
    { role: 'user', content: 'Say <|im_end|>' },
    { role: 'assistant', content: 'No.' },
  ];
  expect(preparer.prepare(readExample(JSON.stringify({ messages }))!)).toBe('control_token');
});
