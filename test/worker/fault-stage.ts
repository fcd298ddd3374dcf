import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { anItem } from './an-item.js';
import type { Agent, Run, WorkerRig } from './rig.js';
import { until } from './until.js';

/** Waits until an answer is under way. */
export const started = (run: Run) => until('the first words', () => run.events() > 3);
/** Tokens of an endless answer that must be whole. */
const TOKENS = 800;
/** Asks for an answer that lasts. */
export const endless = { endless: true, maxTokens: TOKENS };

/** Waits for the end of an endless answer: every token must have come. */
export async function expectWhole(run: Run): Promise<void> {
  const { end } = await run.done;
  expect(end.fin).toBe('done');
  expect(end.usage.completion).toBe(TOKENS);
}

/** Asks for an answer, and stops its runner while that is under way: a fast one would end before it can be killed. */
export async function frozen(rig: WorkerRig, dep: number, pid: number): Promise<Run> {
  for (;;) {
    const run = rig.ask(dep, 'Hello', endless);
    let isOver = false;
    const over = (): void => void (isOver = true);
    run.done.then(over, over);
    await started(run);
    process.kill(pid, 'SIGSTOP');
    // What it sent before has come when nothing more does.
    for (let events = -1; events !== run.events(); await sleep(100)) events = run.events();
    if (!isOver) return run;
    process.kill(pid, 'SIGCONT');
  }
}

/** Starts an agent that serves these deployments. */
export async function serving(rig: WorkerRig, ...deps: number[]): Promise<Agent> {
  const agent = await rig.startAgent();
  rig.assign(
    agent,
    deps.map((dep) => anItem(dep)),
  );
  for (const dep of deps) await rig.ready(agent, dep);
  return agent;
}

/** Waits until the deployment is served by another process than `pid`. */
export const replaced = (rig: WorkerRig, agent: Agent, dep: number, pid: number) =>
  until(`deployment ${dep} is served anew`, () => {
    const load = rig.loadOf(agent, dep);
    return load?.state === 'ready' && load.pid !== pid && load;
  });
