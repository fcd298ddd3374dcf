import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateDataset } from '@slipway/datasets';
import type { LlamaScorer } from '@slipway/engine-llama';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { prepareDataset } from '../../apps/training-worker/src/training/prepare-dataset.js';
import { openDemo } from './training-stage.js';

let folder: string;
let scorer: LlamaScorer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-openai-'));
  scorer = await openDemo();
});
afterAll(async () => {
  await scorer?.dispose();
  await rm(folder, { recursive: true });
});

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_current_weather',
    description: 'Get the current weather',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string', description: 'The city and country, eg. San Francisco, USA' },
        format: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      },
      required: ['location', 'format'],
    },
  },
};
const call = {
  id: 'call_id',
  type: 'function',
  function: { name: 'get_current_weather', arguments: '{"location": "San Francisco, USA", "format": "celsius"}' },
};
/** As OpenAI's guide to fine-tuning shows them: tools, weights, several turns, and a plain conversation. */
const LINES = [
  {
    messages: [
      { role: 'user', content: 'What is the weather in San Francisco?' },
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_id', content: '21.0' },
      { role: 'assistant', content: 'It is 21 degrees celsius in San Francisco, CA' },
    ],
    parallel_tool_calls: false,
    tools: [WEATHER],
  },
  {
    messages: [
      { role: 'system', content: 'Marv is a factual chatbot that is also sarcastic.' },
      { role: 'user', content: "What's the capital of France?" },
      { role: 'assistant', content: 'Paris', weight: 0 },
      { role: 'user', content: 'Can you be more sarcastic?' },
      { role: 'assistant', content: "Paris, as if everyone doesn't know that already.", weight: 1 },
    ],
  },
  {
    messages: [
      { role: 'user', content: 'Say this is a test.' },
      { role: 'assistant', content: 'This is a test.' },
    ],
  },
].map((line) => JSON.stringify(line));

it('a training file of OpenAI is learned unchanged, with tools and weights', async () => {
  const canonical: Uint8Array[] = [];
  const source = (async function* () {
    yield await Promise.resolve(Buffer.from(`${LINES.join('\n')}\n`));
  })();
  const result = await validateDataset(source, {}, { batch: ({ bytes }) => void canonical.push(bytes) });
  expect([result.state, result.format, result.examples, result.rejected]).toEqual(['ready', 'chat', 3, 0]);
  const dataset = join(folder, 'data.jsonl');
  await writeFile(dataset, Buffer.concat(canonical));
  const settings = { seed: 1, heldOut: 0, learned: [], tooLong: 'refuse' as const };
  const rest = { takesWeights: true, chooseFirst: () => Promise.resolve(0), signal: new AbortController().signal };
  const prepared = await prepareDataset({ dataset, folder, texts: scorer.texts, context: 1_024, settings, ...rest });
  expect([prepared.examples, prepared.leftOut.size]).toEqual([3, 0]);
  const lines = (await readFile(join(folder, 'train.jsonl'), 'utf8')).trimEnd().split('\n');
  const pieces = lines.map((line) => (JSON.parse(line) as { messages: { role: string; content: string }[] }).messages);
  const learned = pieces.map((all) => all.filter(({ role }) => role === 'assistant').map(({ content }) => content));
  const tools = learned.find((texts) => texts.length === 2)!;
  expect(tools[0]).toContain('get_current_weather');
  expect(tools[0]).toContain('San Francisco, USA');
  expect(tools[1]).toContain('It is 21 degrees celsius');
  // Of the two answers the one with weight 0 is context.
  const marv = pieces.find((all) => all[0]!.content.includes('Marv'))!;
  expect(marv.filter(({ role }) => role === 'assistant')).toHaveLength(1);
  expect(marv[0]!.content).toContain('Paris');
  expect(marv[1]!.content).toContain('as if everyone');
});
