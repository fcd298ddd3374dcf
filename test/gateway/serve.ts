import type { AccountId, DeploymentFacts } from '@slipway/contracts';
import { GatewayRig, type RigOptions, type RunningGateway } from './gateway-rig.js';
import type { ScriptedRunner, ScriptedRunnerOptions } from './scripted-runner.js';

/** A deployment that a gateway answers for, by its slug and by the alias `demo-7b`. */
export interface Served {
  readonly rig: GatewayRig;
  readonly gw: RunningGateway;
  readonly runner: ScriptedRunner;
  readonly account: { readonly id: AccountId; readonly slug: string };
  readonly deployment: DeploymentFacts;
  readonly slug: string;
  readonly key: string;
}

/** What differs from one gateway with its defaults, and one runner with its own. */
interface ServeOptions {
  readonly gateway?: RigOptions;
  readonly runner?: Partial<ScriptedRunnerOptions>;
}

/** Starts all that one deployment needs. Its rig ends everything. */
export async function serve({ gateway, runner: runnerOptions }: ServeOptions = {}): Promise<Served> {
  const rig = await GatewayRig.start();
  try {
    const account = rig.account();
    const key = rig.key(account.id).value;
    const deployment = rig.deployment(account.id, { context: 100 });
    rig.alias(account.id, 'demo-7b', deployment.id);
    const runner = await rig.runner({ dep: deployment.id, ...runnerOptions });
    const gw = await rig.gateway(gateway);
    await rig.whenAnswering(gw, deployment, key);
    return { rig, gw, runner, account, deployment, slug: `deployment-${deployment.id}`, key };
  } catch (error) {
    await rig.end();
    throw error;
  }
}
