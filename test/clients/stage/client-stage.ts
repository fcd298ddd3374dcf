import { CreateKey, type DeploymentId, deploymentSlug, type KeyId, ResponseStore } from '@slipway/contracts';
import { ensureValueStore } from '@slipway/platform';
import { type PlayedServer, ScriptedUpstream } from '@slipway/testing';
import { LlamaServer } from '../../engines/verify/llama-server.js';
import { ENV } from '../../services/bus.js';
import { ClientRig, type Tenant } from '../../services/client-rig.js';
import type { ServiceProcess } from '../../services/service-process.js';
import { MODELS } from '../../services/service-process.js';
import type { Job } from './client-process.js';
import { playScenes } from './played-scenes.js';

/** A model behind a deployment. */
export type Backend = 'demo' | 'real-llama-server' | PlayedServer;

/** How a client names a deployment. */
export type Naming = 'slug' | 'alias';

/** A deployment with both of its names. */
interface Served {
  readonly id: DeploymentId;
  readonly paths: Readonly<Record<Naming, string>>;
  readonly upstream: ScriptedUpstream | null;
  stop(): Promise<void>;
}

/** All clients at once must find room at a played server. */
const PLAYED_SLOTS = 64;
const STORE_WITHIN_MS = 20_000;
const DEMO: Engine = {
  settings: { source: { kind: 'file', path: `${MODELS}/svc-tiny.Q8_0.gguf` }, slots: 4 },
  upstream: null,
  stop: () => Promise.resolve(),
};

/** What a deployment is made of. */
interface Engine {
  readonly settings: Parameters<ClientRig['deployment']>[1];
  readonly upstream: ScriptedUpstream | null;
  stop(): Promise<void>;
}

async function realEngine(): Promise<Engine> {
  const server = await LlamaServer.start();
  return {
    settings: { source: { kind: 'http', url: server.url, model: 'demo' }, slots: 2 },
    upstream: null,
    stop: () => server.kill(),
  };
}

async function playedEngine(server: PlayedServer): Promise<Engine> {
  const upstream = await ScriptedUpstream.start(() => ({ steps: [] }));
  playScenes(upstream, server);
  return {
    settings: { source: { kind: 'http', url: upstream.url, model: 'scripted' }, slots: PLAYED_SLOTS },
    upstream,
    stop: () => upstream.stop(),
  };
}

async function engineOf(backend: Backend): Promise<Engine> {
  if (backend === 'demo') return DEMO;
  return backend === 'real-llama-server' ? realEngine() : playedEngine(backend);
}

/** A whole Slipway with a deployment of each backend: what all clients of a test file play on. */
export class ClientStage {
  readonly #served = new Map<Backend, Served>();

  private constructor(
    readonly rig: ClientRig<ServiceProcess>,
    readonly tenant: Tenant,
  ) {}

  static async start(backends: readonly Backend[]): Promise<ClientStage> {
    const rig = await ClientRig.startProcesses(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
    try {
      await ensureValueStore(ResponseStore, { nats: await rig.bus.connect('boot'), env: ENV, timeoutMs: STORE_WITHIN_MS });
      const stage = new ClientStage(rig, await rig.tenant());
      for (const backend of backends) await stage.#serve(backend);
      await stage.whenAllServed();
      return stage;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Who and where: what each job needs beside its text. */
  at(backend: Backend, naming: Naming = 'slug', key = this.tenant.key.value): Pick<Job, 'baseURL' | 'apiKey' | 'model'> {
    const path = this.#of(backend).paths[naming];
    return { baseURL: `${this.gateway}/${path}`, apiKey: key, model: path.split('/').at(-1) ?? '' };
  }

  get gateway(): string {
    return this.rig.gateways[0] ?? '';
  }

  /** The name under which a deployment answers. */
  slugOf(backend: Backend): string {
    return deploymentSlug(this.#of(backend).id);
  }

  upstreamOf(backend: PlayedServer): ScriptedUpstream {
    const { upstream } = this.#of(backend);
    if (!upstream) throw new Error(`${backend} is not played.`);
    return upstream;
  }

  /** Another key of the tenant. */
  key(name: string): Promise<{ id: KeyId; value: string }> {
    return this.rig.command(CreateKey, { account: this.tenant.account, name });
  }

  /** Another deployment of a played server, with room for one request unless `settings` say otherwise. */
  async narrow(backend: PlayedServer = 'vllm', settings: Engine['settings'] = {}): Promise<{ id: DeploymentId; path: string }> {
    const source = { kind: 'http' as const, url: this.upstreamOf(backend).url, model: 'scripted' };
    const id = await this.rig.deployment(this.tenant.account, { source, slots: 1, replicas: 1, ...settings });
    const path = deploymentSlug(id);
    await this.rig.whenServed({ path, key: this.tenant.key.value });
    return { id, path };
  }

  /** Waits until every deployment answers. */
  async whenAllServed(): Promise<void> {
    for (const { paths } of this.#served.values()) {
      for (const path of Object.values(paths)) await this.rig.whenServed({ path, key: this.tenant.key.value });
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.#served.values()].map((served) => served.stop()));
    await this.rig.end();
  }

  async #serve(backend: Backend): Promise<void> {
    const { rig, tenant } = this;
    const { settings, upstream, stop } = await engineOf(backend);
    const id = await rig.deployment(tenant.account, settings);
    await rig.alias(tenant.account, backend, id);
    this.#served.set(backend, { id, upstream, stop, paths: { slug: deploymentSlug(id), alias: `${tenant.slug}/${backend}` } });
  }

  #of(backend: Backend): Served {
    const served = this.#served.get(backend);
    if (!served) throw new Error(`There is no ${backend} on this stage.`);
    return served;
  }
}
