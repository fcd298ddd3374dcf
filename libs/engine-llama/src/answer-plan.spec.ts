import type { CanonicalRequest } from '@slipway/contracts';
import { afterEach, expect, it } from 'vitest';
import { AnswerPlanner } from './answer-plan.js';
import { GrammarTasks } from './grammar-tasks.js';

/** Refuses the first task and answers all later ones. */
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

let tasks: GrammarTasks | undefined;
afterEach(async () => {
  await tasks?.close();
});

it.each([
  ['is remembered where the schema is invalid', false],
  ['is forgotten where time ran out', true],
])('the refusal of a schema %s', async (_, late) => {
  const refusal = { code: 'unsupported_value', message: 'no', param: 'response_format', late };
  tasks = new GrammarTasks(20_000, once(refusal));
  const planner = new AnswerPlanner(null, tasks);
  await expect(planner.plan(REQUEST)).rejects.toMatchObject({ code: 'unsupported_value', param: 'response_format' });
  const again = planner.plan(REQUEST);
  if (late) await expect(again).resolves.toEqual({ grammar: null, calls: null });
  else await expect(again).rejects.toMatchObject({ message: 'no' });
});
