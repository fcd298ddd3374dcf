import { CreateDeployment, type DeploymentId, deploymentSlug, FindRollout, type RolloutView } from '@slipway/contracts';
import { chatChunk, sseEvent, type UpstreamRequest, usageChunk } from '@slipway/testing';
import { until } from '../testing/until.js';
import type { TestService } from '../services/test-service.js';
import { type Tenant, UsageRig } from '../usage/usage-rig.js';

/** Tokens of an answer that ends by itself. */
const WORDS = 8;
/** Limit of each request, which only a looping model reaches. */
const LIMIT = 40;
/** Conversations that the load goes through. */
const CONVERSATIONS = 80;

/** One request of a load, as its client saw it. */
export interface Sent {
  readonly conversation: number;
  /** Slug that answered; empty where none did. */
  readonly side: string;
  readonly status: number;
  readonly body: string;
  /** When it was sent, by this process's monotonic clock, in milliseconds. */
  readonly at: number;
}

/** Answers as the model that a deployment names: `looping` repeats itself up to its limit. */
function stepsFor({ body, path }: UpstreamRequest): ReturnType<typeof chatChunk>[] {
  if (path.endsWith('/models')) return [];
  const loops = (body as { model?: string }).model === 'looping';
  const words = Array.from({ length: loops ? LIMIT : WORDS }, () => chatChunk({ content: 'word ' }));
  const end = [chatChunk({}, loops ? 'length' : 'stop'), usageChunk(7, words.length), sseEvent('[DONE]')];
  return [chatChunk({ role: 'assistant', content: '' }), ...words, ...end];
}

/** All services, a tenant whose alias `demo` points at a good model, and requests that do not stop. */
export class RolloutRig<S extends TestService = TestService> {
  readonly sent: Sent[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;

  private constructor(
    readonly services: UsageRig<S>,
    readonly tenant: Tenant,
  ) {}

  /** Starts everything in this process. */
  static async start(gateways: number): Promise<RolloutRig> {
    return RolloutRig.of(await UsageRig.start(gateways, { ROLLOUT_CHECK_MS: '200' }));
  }

  static async of<S extends TestService>(services: UsageRig<S>): Promise<RolloutRig<S>> {
    try {
      const tenant = await services.tenant();
      services.upstream.answer = (request) => ({ steps: stepsFor(request) });
      return new RolloutRig(services, tenant);
    } catch (error) {
      await services.end();
      throw error;
    }
  }

  get stable(): string {
    return deploymentSlug(this.tenant.deployment);
  }

  /** What asks for the rollout. */
  get named(): { account: Tenant['account']; alias: string } {
    return { account: this.tenant.account, alias: 'demo' };
  }

  /** A further deployment, which every gateway serves. @param model `looping`, or a good one */
  async candidate(model: string): Promise<DeploymentId> {
    const source = { kind: 'http' as const, url: this.services.upstream.url, model };
    const { id } = await this.services.command(CreateDeployment, { account: this.tenant.account, name: model, source });
    for (const gateway of this.gateways) {
      await until(`a gateway serves ${model}`, async () => (await this.#post(gateway, deploymentSlug(id), 0)).status === 200, 60_000);
    }
    return id;
  }

  get gateways(): string[] {
    return this.services.processes('gateway').map((gateway) => this.services.addressOf(gateway));
  }

  async rollout(): Promise<RolloutView> {
    return (await this.services.command(FindRollout, this.named)).rollout;
  }

  /** Sends requests of all conversations to all gateways in turn, as many at once as named, until `rest`. */
  load(atOnce = 6): void {
    this.#isOver = false;
    this.#running = Promise.all(Array.from({ length: atOnce }, (_, client) => this.#client(client, atOnce)));
  }

  /** Ends the load. */
  async rest(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Waits until as many requests as named were answered by a side after now. */
  async answered(side: string, requests: number): Promise<void> {
    const from = this.sent.length;
    const count = (): number => this.sent.slice(from).filter((sent) => sent.side === side).length;
    await until(`${side} answered ${requests} requests`, () => count() >= requests, 60_000);
  }

  async end(): Promise<void> {
    await this.rest();
    await this.services.end();
  }

  async #client(client: number, atOnce: number): Promise<void> {
    for (let i = client; !this.#isOver; i += atOnce) {
      const at = performance.now();
      const gateways = this.gateways;
      const conversation = i % CONVERSATIONS;
      const answer = await this.#post(gateways[i % gateways.length] ?? '', `${this.tenant.slug}/demo`, conversation);
      this.sent.push({ conversation, at, ...answer });
    }
  }

  async #post(gateway: string, path: string, conversation: number): Promise<Pick<Sent, 'status' | 'side' | 'body'>> {
    const messages = [{ role: 'user', content: `conversation ${conversation}` }];
    const headers = { 'x-api-key': this.tenant.key.value, 'content-type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify({ model: path.split('/').at(-1), messages, max_tokens: LIMIT }) };
    const response = await fetch(`${gateway}/${path}/v1/chat/completions`, options).catch((error: unknown) => String(error));
    if (typeof response === 'string') return { status: 0, side: '', body: response };
    const body = await response.text();
    const { model = '' } = response.ok ? (JSON.parse(body) as { model?: string }) : {};
    return { status: response.status, side: model, body };
  }
}

/** Requests that were not answered. */
export const failures = (sent: readonly Sent[]): readonly Sent[] => sent.filter(({ status }) => status !== 200);
