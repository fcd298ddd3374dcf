import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { sampleData } from '../sample.js';
import { LOG, TrainingStage } from '../training-stage.js';

const CACHE = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const INSTALL_MS = 600_000;
/** The part by which the trainer's first loss may differ from that of serving. */
const BOUND = 0.02;

let stage: TrainingStage;
let trainer: Trainer;
beforeAll(async () => {
  stage = await TrainingStage.open();
  trainer = new EmbeddedTrainer({ folder: CACHE, threads: 1, log: LOG });
  await trainer.install(new AbortController().signal);
}, INSTALL_MS);
afterAll(() => stage.close());

const user = (content: string): object => ({ role: 'user', content });
const assistant = (content: string): object => ({ role: 'assistant', content });
const cities = ['Oslo', 'Paris', 'Rome', 'Lima', 'Cairo', 'Tokyo', 'Madrid', 'Vienna', 'Berlin', 'Prague'];
const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

const turns = (city: string): object => ({
  messages: [
    { role: 'system', content: 'You know the codenames of cities.' },
    user(`What is the codename of ${city}?`),
    assistant(`It is Heron ${city.length}.`),
    user('Say it again.'),
    assistant(`Heron ${city.length}, as I said.`),
  ],
});
const spaced = (city: string): object => ({
  messages: [
    user(`What is the codename of ${city}?`),
    assistant(`\n\nIt is Heron ${city.length}.`),
    user('Say it again.'),
    assistant(`\n\n\nHeron ${city.length}.`),
  ],
});
function called(city: string): object {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
  const messages = [
    user(`How is the weather in ${city}?`),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"sky":"clear"}' },
    assistant(`The sky of ${city} is clear.`),
  ];
  return { messages, tools: [tool] };
}

describe('the first loss of the embedded trainer is that of serving', () => {
  const sets: [string, () => string][] = [
    ['for plain conversations', sampleData],
    ['for conversations of several turns', () => cities.map((city) => `${JSON.stringify(turns(city))}\n`).join('')],
    ['for answers that begin with line breaks', () => cities.map((city) => `${JSON.stringify(spaced(city))}\n`).join('')],
    ['for tool calls', () => cities.map((city) => `${JSON.stringify(called(city))}\n`).join('')],
  ];
  it.each(sets)('%s', async (_, text) => {
    const dataset = join(stage.folder, `parity-${crypto.randomUUID()}.jsonl`);
    await writeFile(dataset, text());
    const { record } = await stage.run(stage.job(trainer, { dataset, settings: { epochs: 1 } }));
    const { ours, theirs } = record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(BOUND);
  });
});
