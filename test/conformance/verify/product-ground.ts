import { CreateKey, type DeploymentId, deploymentSlug, type KeyId, ResponseStore, RevokeKey, StopDeployment } from '@slipway/contracts';
import { ensureValueStore } from '@slipway/platform';
import type { OtherName } from '../../../conformance/src/case.js';
import { MODELS } from '../../../conformance/src/engine.js';
import type { TargetAddress } from '../../../conformance/src/target.js';
import { ENV } from '../../services/bus.js';
import { ClientRig, type Tenant } from '../../services/client-rig.js';

/** As many as there are cases that revoke one. */
const SPARE_KEYS = 2;

/** Everything that the cases of the conformance tool need of Slipway. */
interface Addresses {
  readonly target: TargetAddress;
  readonly others: Readonly<Partial<Record<OtherName, TargetAddress>>>;
  readonly spareKeys: readonly string[];
}

/** A Slipway whose deployments have the engine that the conformance tool starts. */
export class ProductGround {
  readonly #spareKeys = new Map<string, KeyId>();

  private constructor(
    private readonly rig: ClientRig,
    private readonly tenant: Tenant,
    private readonly engineUrl: string,
  ) {}

  /** @param engineUrl where the engine will listen */
  static async start(engineUrl: string): Promise<ProductGround> {
    const rig = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
    await ensureValueStore(ResponseStore, { nats: await rig.bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
    return new ProductGround(rig, await rig.tenant(), engineUrl);
  }

  /** Makes all deployments and keys. Deployments are ready once the engine listens. */
  async addresses(): Promise<Addresses> {
    const { account, slug } = this.tenant;
    const main = await this.#deploy(MODELS.main);
    const others: Partial<Record<OtherName, DeploymentId>> = {
      stopped: await this.#deploy(MODELS.main),
      text: await this.#deploy(MODELS.text),
      limited: await this.#deploy(MODELS.main, { default_max_tokens: 2 }),
      store: await this.#deploy(MODELS.main, { store_responses: true }),
      embeddings: await this.#deploy(MODELS.embed),
      matryoshka: await this.#deploy(MODELS.embed, {}, { engine: { kind: 'http', options: { matryoshka: 'on' } } }),
    };
    await this.rig.alias(account, 'demo', main);
    await this.rig.command(StopDeployment, { account, deployment: others.stopped! });
    for (let i = 0; i < SPARE_KEYS; i += 1) {
      const { id, value } = await this.rig.command(CreateKey, { account, name: `spare ${i}` });
      this.#spareKeys.set(value, id);
    }
    const addresses = Object.entries(others).map(([name, id]) => [name, this.#address(deploymentSlug(id))]);
    return {
      target: this.#address(deploymentSlug(main)),
      others: { ...(Object.fromEntries(addresses) as Addresses['others']), alias: this.#address(`${slug}/demo`, 'demo') },
      spareKeys: [...this.#spareKeys.keys()],
    };
  }

  /** Revokes a spare key. */
  async revoke(value: string): Promise<void> {
    await this.rig.command(RevokeKey, { account: this.tenant.account, key: this.#spareKeys.get(value)! });
  }

  end(): Promise<void> {
    return this.rig.end();
  }

  #deploy(model: string, changes: object = {}, engine: object = {}): Promise<DeploymentId> {
    const source = { kind: 'http' as const, url: this.engineUrl, model, ...engine };
    return this.rig.deployment(this.tenant.account, { source, ...changes });
  }

  #address(path: string, model = path): TargetAddress {
    return { url: `${this.rig.gateways[0]}/${path}`, key: this.tenant.key.value, model };
  }
}
