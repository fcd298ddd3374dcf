import { type AgentLoad, Incarnation } from '@slipway/contracts';
import { until } from '../testing/until.js';
import { type DeploymentsRig, ENGINE_HOST } from './rig.js';
import type { FakeAgent } from './fake-agent.js';

/** A deployment of an HTTP engine, with a credential. */
export const engine = { source: { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'm' }, credential: 'sk-of-the-owner', replicas: 1 };

/** Whatever deployment it names: one lie each, in turn. */
const LIES: readonly Partial<AgentLoad>[] = [
  { state: 'ready', caps: [], context: 1 },
  { state: 'failed', reason: 'model_invalid', detail: 'a lie' },
  { state: 'loading', progress: 0.99 },
  { state: 'draining' },
];
/** What a liar says of a deployment; `n` chooses the lie. */
export const lie = (dep: number, n: number): AgentLoad => ({
  ...{ dep: dep as AgentLoad['dep'], rev: 1, state: 'ready', progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] },
  ...LIES[n % LIES.length],
});

/**
 * Its name comes before all others; it has no room, so that nothing is given to it in order, and confirms nothing, so that
 * the placer goes on speaking to it.
 */
export const aLiar = (rig: DeploymentsRig): FakeAgent =>
  rig.startAgent({ wk: Incarnation.parse('0x'), facts: { host: 'liar', mem_free: 0, engines: ['llama'], assigned: null } });

/** Reports the deployments in every state, each until the placer has seen it. */
export async function tellLies(liar: FakeAgent, deployments: readonly number[]): Promise<void> {
  for (let turn = 0; turn < LIES.length; turn += 1) {
    liar.lies = deployments.map((dep, index) => lie(dep, turn + index));
    const before = liar.assignments.length;
    liar.beat();
    await until('the placer sent it another assignment', () => liar.assignments.length > before);
  }
  const before = liar.assignments.length;
  await until('its effect is stored', () => liar.assignments.length > before);
}
