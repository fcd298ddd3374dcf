import { CreateKey, type DeploymentId, deploymentSlug, RevokeKey, StopDeployment } from '@slipway/contracts';
import type { OtherName, SpareKey } from '../../conformance/src/case.js';
import { Engine, MODELS } from '../../conformance/src/engine.js';
import type { Ground } from '../../conformance/src/run-cases.js';
import type { TargetAddress } from '../../conformance/src/target.js';
import { ClientRig, type Tenant } from '../services/client-rig.js';

const SPARE_KEYS = 2;

/** A Slipway whose deployments have the scripted engine of the conformance tool, and everything else that a case may need. */
export class ProductGround {
  private constructor(
    private readonly rig: ClientRig,
    private readonly tenant: Tenant,
    private readonly engine: Engine,
  ) {}

  static async start(): Promise<ProductGround> {
    const engine = await Engine.start();
    try {
      const rig = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
      return new ProductGround(rig, await rig.tenant(), engine);
    } catch (error) {
      await engine.stop();
      throw error;
    }
  }

  async ground(): Promise<Ground> {
    const main = await this.#deploy(MODELS.main);
    await this.rig.alias(this.tenant.account, 'demo', main);
    const others: Record<Exclude<OtherName, 'alias' | 'store'>, DeploymentId> = {
      stopped: await this.#deploy(MODELS.main),
      text: await this.#deploy(MODELS.text),
      limited: await this.#deploy(MODELS.main, { default_max_tokens: 2 }),
      embeddings: await this.#deploy(MODELS.embed),
      matryoshka: await this.#deploy(MODELS.embed, {}, { engine: { kind: 'http', options: { matryoshka: 'on' } } }),
    };
    await this.rig.command(StopDeployment, { account: this.tenant.account, deployment: others.stopped });
    const spareKeys: SpareKey[] = [];
    for (let i = 0; i < SPARE_KEYS; i += 1) spareKeys.push(await this.#spareKey(i));
    const addresses = Object.entries(others).map(([name, id]) => [name, this.#address(deploymentSlug(id))]);
    const alias = this.#address(`${this.tenant.slug}/demo`, 'demo');
    return {
      ...{ target: this.#address(deploymentSlug(main)), engine: this.engine, spareKeys },
      others: { ...(Object.fromEntries(addresses) as Record<Exclude<OtherName, 'alias' | 'store'>, TargetAddress>), alias },
    };
  }

  async end(): Promise<void> {
    await this.rig.end();
    await this.engine.stop();
  }

  async #deploy(model: string, changes: object = {}, engine: object = {}): Promise<DeploymentId> {
    const source = { kind: 'http' as const, url: this.engine.url, model, ...engine };
    const id = await this.rig.deployment(this.tenant.account, { source, ...changes });
    await this.rig.whenSeen(this.tenant.account, id, { state: 'ready' });
    return id;
  }

  #address(path: string, model = path): TargetAddress {
    return { url: `${this.rig.gateways[0]}/${path}`, key: this.tenant.key.value, model };
  }

  async #spareKey(nth: number): Promise<SpareKey> {
    const { account } = this.tenant;
    const { id, value } = await this.rig.command(CreateKey, { account, name: `spare ${nth}` });
    return { value, revoke: async () => void (await this.rig.command(RevokeKey, { account, key: id })) };
  }
}
