import type { ServiceError } from '@slipway/contracts';
import { afterEach, expect, it } from 'vitest';
import { isOutOfTime } from './grammar/compile-budget.js';
import { GrammarTasks } from './grammar-tasks.js';
import { threadStats } from './thread-clock.js';

const threadOf = (body: string, stats = 'null'): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
${body}
parentPort.postMessage({ ready: true, stats: ${stats} });`)}`,
  );
const BODY = `parentPort.on('message', ({ text }) => {
  while (text === 'slow');
  if (text === 'starved') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  parentPort.postMessage(text === 'wrong' ? { refused: { code: 'invalid_value', message: 'wrong', param: 'a' } } : { value: text });
});`;
const ECHO = threadOf(BODY);

let tasks: GrammarTasks | undefined;
afterEach(async () => {
  await tasks?.close();
});

it('ends only the task that takes too long', async () => {
  tasks = new GrammarTasks(500, ECHO);
  const slow = tasks.faultOf({}, 'slow');
  const others = ['a', 'wrong', 'b'].map((text) => tasks!.faultOf({}, text));
  await expect(slow).rejects.toSatisfy((error: ServiceError) => error.code === 'unsupported_value' && isOutOfTime(error));
  const [a, wrong, b] = await Promise.allSettled(others);
  expect([a, b]).toEqual(['a', 'b'].map((value) => ({ status: 'fulfilled', value })));
  expect(wrong).toMatchObject({ reason: { code: 'invalid_value', param: 'a' } });
});

it.runIf(threadStats() !== null)('does not count time without a core', async () => {
  tasks = new GrammarTasks(500, threadOf(BODY, '`/proc/${readlinkSync("/proc/thread-self")}/schedstat`'));
  await expect(tasks.faultOf({}, 'starved')).resolves.toBe('starved');
  // On an overloaded machine a thread is given up too.
  await expect(tasks.faultOf({}, 'slow')).rejects.toThrow(/too long|too busy/);
});

it('runs smaller tasks first and bounds waiting ones', async () => {
  tasks = new GrammarTasks(5_000, ECHO);
  const order: string[] = [];
  const run = (text: string): Promise<unknown> => tasks!.faultOf({}, text).then((value) => order.push(String(value)));
  const all = ['x'.repeat(50), 'y'.repeat(20), 'z'].map(run);
  for (let i = 3; i < 64; i += 1) all.push(run('w'));
  await expect(tasks.faultOf({}, 'v')).rejects.toMatchObject({ code: 'overloaded' });
  await Promise.all(all);
  expect(order.at(-1)).toBe('x'.repeat(50));
  expect(order.at(-2)).toBe('y'.repeat(20));
});

it('fails waiting tasks when the thread cannot start', async () => {
  tasks = new GrammarTasks(5_000, threadOf(`throw new Error('broken');`));
  await expect(tasks.faultOf({}, 'a')).rejects.toThrow('broken');
});
