import type { CanonicalRequest } from '@slipway/contracts';
import { ChatTemplate } from '@slipway/model-text';
import { afterEach, expect, it } from 'vitest';
import { AnswerPlanner } from './answer-plan.js';
import { GrammarTasks } from './grammar-tasks.js';
import { TemplateFacts } from './template-facts.js';

/** Refuses the first task of each request, and answers all that follow. */
const once = (refusal: object): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
let asked = 0;
parentPort.on('message', () => {
  asked += 1;
  parentPort.postMessage(asked === 1 ? { refused: ${JSON.stringify(refusal)} } : { value: null });
});
parentPort.postMessage({ ready: true, stats: null });`)}`,
  );
const REQUEST: CanonicalRequest = { messages: [], stop: [], sampling: {}, output: { kind: 'json_object' } };
const facts = new TemplateFacts(ChatTemplate.parse('{{ messages[0].content }}', { bos: '', eos: '' }));

let tasks: GrammarTasks | undefined;
afterEach(async () => {
  await tasks?.close();
});

it.each([
  ['what is wrong is remembered', false],
  ['what took too long is tried again', true],
])('of a schema that was refused %s', async (_, late) => {
  const refusal = { code: 'unsupported_value', message: 'no', param: 'response_format', late };
  tasks = new GrammarTasks(20_000, once(refusal));
  const planner = new AnswerPlanner(facts, tasks);
  await expect(planner.plan(REQUEST)).rejects.toMatchObject({ code: 'unsupported_value', param: 'response_format' });
  const again = planner.plan(REQUEST);
  if (late) await expect(again).resolves.toEqual({ grammar: null, calls: null });
  else await expect(again).rejects.toMatchObject({ message: 'no' });
});
