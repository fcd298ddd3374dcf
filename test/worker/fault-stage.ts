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
