import type { StreamEvent } from '@slipway/contracts';
import { expect, it } from 'vitest';
import type { StrictCheck } from './answer-grammar.js';
import { StrictAnswer } from './strict-answer.js';

const ANSWER: readonly StreamEvent[] = [
  { k: 'call', i: 0, id: 'c', name: 'get', n: 1 },
  { k: 'args', i: 0, x: '{"a": 1}', n: 1 },
  { k: 'fin', r: 'tool_calls' },
];

async function finished(held: boolean, isHeld: boolean): Promise<string> {
  const out: StreamEvent[] = [];
  const check: StrictCheck = { schema: {}, tool: 'get', field: 'tools[0]', held };
  const answer = new StrictAnswer(
    [check],
    (_, text) => Promise.resolve(`${text} is wrong.`),
    () => isHeld,
    (events) => void out.push(...events),
  );
  answer.take(ANSWER);
  await answer.finish();
  return out.at(-1)!.k;
}

it('does not check calls that the grammar enforced', async () => {
  await expect(finished(true, true)).resolves.toBe('fin');
});

it.each([
  ['that its grammar does not hold', false, true],
  ['of an answer that escaped its grammar', true, false],
])('checks a strict call %s', async (_, held, isHeld) => {
  await expect(finished(held, isHeld)).rejects.toMatchObject({
    code: 'engine_error',
    message: expect.stringContaining('{"a": 1} is wrong.') as string,
  });
});
