import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeploymentFacts, ResponseStore, valueStoreName } from '@slipway/contracts';
import { ensureValueStore } from '@slipway/platform';
import { ENV, GatewayRig, type RunningGateway } from './gateway-rig.js';
import type { ScriptedRunner } from './scripted-runner.js';

/** Seals what the gateways store. */
const SECRET = 'ef'.repeat(32);

export type Json = Record<string, unknown>;

/** An answer of a gateway. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: Json;
}

export interface StoreRigOptions {
  /** Without JetStream nothing can be stored. */
  readonly hasStore?: boolean;
  /** Lifetime of what is stored; absent = an hour. */
  readonly ageMs?: number;
  readonly gateways?: number;
}

/** A deployment that stores its responses, its runner, and gateways in front of it. */
export class StoreRig {
  readonly runner: ScriptedRunner;
  readonly gateways: readonly RunningGateway[];
  readonly deployment: DeploymentFacts;
  readonly account: ReturnType<GatewayRig['account']>;
  readonly key: string;

  private constructor(
    readonly rig: GatewayRig,
    private readonly folder: string,
    { runner, gateways, deployment, account, key }: Pick<StoreRig, 'runner' | 'gateways' | 'deployment' | 'account' | 'key'>,
  ) {
    this.runner = runner;
    this.gateways = gateways;
    this.deployment = deployment;
    this.account = account;
    this.key = key;
  }

  static async start({ hasStore = true, ageMs = ResponseStore.ageMs, gateways = 1 }: StoreRigOptions = {}): Promise<StoreRig> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-store-'));
    const rig = await GatewayRig.start(hasStore ? folder : undefined);
    try {
      if (hasStore)
        await ensureValueStore({ ...ResponseStore, ageMs }, { nats: await rig.connect('boot', 'boot'), env: ENV, timeoutMs: 20_000 });
      const account = rig.account();
      const key = rig.key(account.id).value;
      const deployment = rig.deployment(account.id, { store: true, context: 100_000 });
      const runner = await rig.runner({ dep: deployment.id });
      const config = { SLIPWAY_SECRET_KEY: SECRET };
      const started: RunningGateway[] = [];
      for (let n = 0; n < gateways; n += 1) started.push(await rig.gateway({ config }));
      for (const gateway of started) await rig.whenAnswering(gateway, deployment, key);
      return new StoreRig(rig, folder, { runner, gateways: started, deployment, account, key });
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** What the engine was asked last. */
  get asked(): ScriptedRunner['admitted'][number]['req'] {
    return this.runner.admitted.at(-1)!.req;
  }

  /** The messages that the engine was asked last, as `role: text`. */
  get heard(): string[] {
    return this.asked.messages.map(
      ({ role, content }) => `${role}: ${content.map((part) => (part.type === 'text' ? part.text : '<image>')).join('')}`,
    );
  }

  /** Posts a request of the responses contract, to the first gateway unless another is named. */
  create(fields: object, { gateway = this.gateways[0]!, key = this.key, deployment = this.deployment } = {}): Promise<Answer> {
    const body = JSON.stringify({ model: `deployment-${deployment.id}`, ...fields });
    return this.call('POST', '', { gateway, key, deployment, body });
  }

  /** Calls below the endpoint of a deployment. */
  async call(
    method: string,
    below: string,
    {
      gateway = this.gateways[0]!,
      key = this.key,
      deployment = this.deployment,
      body,
    }: { gateway?: RunningGateway; key?: string; deployment?: DeploymentFacts; body?: string } = {},
  ): Promise<Answer> {
    const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const url = `${gateway.url}/deployment-${deployment.id}/v1/responses${below}`;
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith('{') ? (JSON.parse(text) as Json) : {} };
  }

  /** Names and bytes of all that is stored. */
  async stored(): Promise<{ readonly subjects: string[]; readonly bytes: Buffer }> {
    const nats = await this.rig.connect('reader', 'boot');
    const name = valueStoreName(ResponseStore, ENV);
    const reply = await nats.request(`$JS.API.STREAM.INFO.${name}`, JSON.stringify({ subjects_filter: '>' }), { timeout: 5_000 });
    const subjects = Object.keys(reply.json<{ state: { subjects?: Record<string, number> } }>().state.subjects ?? {});
    const values = subjects.map(
      async (subject) => (await nats.request(`$JS.API.DIRECT.GET.${name}.${subject}`, '', { timeout: 5_000 })).data,
    );
    return { subjects, bytes: Buffer.concat(await Promise.all(values)) };
  }

  async end(): Promise<void> {
    await this.rig.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The error of an answer. */
export const errorOf = ({ status, json }: Answer): object => ({ status, ...(json['error'] as object) });

/** The items of a response. */
export const outputOf = ({ json }: Answer): readonly { readonly id: string; readonly type: string }[] =>
  json['output'] as { id: string; type: string }[];
