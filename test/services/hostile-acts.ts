import { join } from 'node:path';
import { CreateKey, type DeploymentId, deploymentSlug } from '@slipway/contracts';
import type { ClientRig } from './client-rig.js';
import { bodyActs, connectionActs } from './hostile-bodies.js';
import type { HostileAct, HostileTarget } from './hostile-client.js';
import { HostileCommands, writeBombs } from './hostile-commands.js';
import { HostileEngine } from './hostile-engine.js';
import { MODELS } from './service-process.js';

/** An account with all that a tenant can have, who uses all of it against the others. */
export class HostileTenant {
  private constructor(
    private readonly engine: HostileEngine,
    /** In the order of a table. */
    readonly acts: readonly HostileAct[],
  ) {}

  static async open(rig: ClientRig): Promise<HostileTenant> {
    const { account, key } = await rig.tenant();
    const engine = await HostileEngine.start();
    const source = { kind: 'http' as const, url: engine.url, model: 'scripted' };
    const engineId = await rig.deployment(account, { source });
    const llamaId = await rig.deployment(account, { source: { kind: 'file', path: join(MODELS, 'svc-tiny.Q8_0.gguf') }, replicas: 1 });
    for (const id of [engineId, llamaId]) await rig.whenSeen(account, id, { state: 'ready' });
    const slow = await rig.command(CreateKey, { account, name: 'slow', limits: { requests_per_minute: 5 } });

    const targetOf = (id: DeploymentId): HostileTarget => ({ gateway: rig.gateways[0] ?? '', key: key.value, path: deploymentSlug(id) });
    const [llama, http] = [targetOf(llamaId), targetOf(engineId)];
    const commands = new HostileCommands(rig, engine, await writeBombs(rig.modelFolder));
    return new HostileTenant(engine, [...commands.acts, ...bodyActs(llama, http, slow.value), ...connectionActs(http)]);
  }

  end(): Promise<void> {
    return this.engine.stop();
  }
}
