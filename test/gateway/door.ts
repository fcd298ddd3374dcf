import type { DeploymentFacts } from '@slipway/contracts';
import { expect } from 'vitest';
import { GatewayInProcess, type LogLine } from './gateway-process.js';
import { GatewayRig, until } from './gateway-rig.js';
import type { PublicContract, Refusal } from './contract-form.js';
import { type Conversation, readAnswers } from './raw-answer.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, type ScriptedRunner } from './scripted-runner.js';

const WITHIN_MS = 30_000;
/** Part of every prompt; must not appear in a log or an error. */
const PROMPT = 'canary-prompt one two';

export interface DoorOptions {
  readonly contract: PublicContract;
  /** Of the runner; absent = 8. */
  readonly slots?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A gateway behind a real nats-server, with two accounts, deployments in each state, and a runner for one of them. */
export class Door {
  /** Answers with its prompt. */
  readonly slug: string;
  readonly runner: ScriptedRunner;
  private readonly clients: RawClient[] = [];

  private constructor(
    readonly rig: GatewayRig,
    readonly gateway: GatewayInProcess,
    readonly contract: PublicContract,
    private readonly cast: Cast,
  ) {
    this.slug = `deployment-${cast.served.id}`;
    this.runner = cast.runner;
  }

  static async open({ contract, slots, environment = {} }: DoorOptions): Promise<Door> {
    const rig = await GatewayRig.start();
    try {
      const cast = await castOf(rig, slots);
      const gateway = await GatewayInProcess.start({ url: rig.server.url }, environment);
      const door = new Door(rig, gateway, contract, cast);
      await until('the gateway answers', async () => (await door.converse(door.good())).answers[0]?.status === 200, WITHIN_MS);
      return door;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** A deployment key that opens the account's deployments. */
  get key(): string {
    return this.cast.key;
  }

  get account(): { readonly id: DeploymentFacts['account']; readonly slug: string } {
    return this.cast.account;
  }

  /** A path of the contract. @param name a deployment's slug, or account and alias. */
  path(name = this.slug): string {
    return `/${name}${this.contract.suffix}`;
  }

  /** Slugs of deployments that do not answer: stopped, still starting, in the feed without a runner, of another account. */
  slugOf(kind: 'stopped' | 'starting' | 'idle' | 'foreign'): string {
    return `deployment-${this.cast[kind].id}`;
  }

  body(fields: object = {}, model = this.slug): string {
    return this.contract.body(model, PROMPT, fields);
  }

  /** Headers of a good request; those given come first. */
  headers(...first: string[]): string[] {
    return [...first, `X-API-Key: ${this.key}`, 'Content-Type: application/json'];
  }

  /** A request that is answered with 200. */
  good(fields: object = {}): string {
    return rawRequest(this.path(), this.headers(), this.body(fields));
  }

  /** A good request but for the path. */
  at(path: string): string {
    return rawRequest(path, this.headers(), this.body());
  }

  /** A good request but for its headers beyond the content type. */
  with(...headers: string[]): string {
    return rawRequest(this.path(), [...headers, 'Content-Type: application/json'], this.body());
  }

  async connect(): Promise<RawClient> {
    const client = await RawClient.open(this.gateway.port);
    this.clients.push(client);
    return client;
  }

  /** Sends bytes on a new connection, and waits for `count` complete responses or the connection's end. */
  async converse(bytes: string | Buffer, count = 1, headOnly = false): Promise<Conversation & { readonly client: RawClient }> {
    const client = (await this.connect()).send(bytes);
    return { ...(await this.answersOn(client, count, headOnly)), client };
  }

  async answersOn(client: RawClient, count: number, headOnly = false): Promise<Conversation> {
    const read = (): Conversation => readAnswers(client.received, headOnly);
    await until(`${count} answers; there came ${client.received}`, () => client.ended || read().answers.length >= count, WITHIN_MS);
    return read();
  }

  /** Ends everything. @throws when the log holds what no log may hold. */
  async end(): Promise<void> {
    try {
      for (const client of this.clients.splice(0)) client.destroy();
      expect(await this.gateway.stop()).toBe(0);
      const { output, lines } = this.gateway;
      expect(output).not.toMatch(/canary|svc_dep_[0-9A-Za-z]{5}|svc_mcp_[0-9A-Za-z]{5}/);
      // No keys-service stores usage records here, so unsent ones are expected.
      const isFault = ({ event, level, err }: LogLine): boolean =>
        event !== 'spool.left_behind' && (level === 'error' || level === 'fatal' || (event === 'http.request' && err !== undefined));
      expect(lines.filter(isFault)).toEqual([]);
    } finally {
      await this.gateway.end();
      await this.rig.end();
    }
  }

  /** Between two tests: no client is left, and the runner answers with its prompt. */
  async reset(): Promise<void> {
    for (const client of this.clients.splice(0)) client.destroy();
    await until('all slots are free', () => this.runner.used === 0, WITHIN_MS);
    this.runner.script = answerInWords;
  }

  /** Refuses `refusal` on a fresh connection with these bytes. */
  async expectRefused(bytes: string, { status, code }: Refusal): Promise<void> {
    const { answers } = await this.converse(bytes);
    this.contract.expectRefusal(answers[0]!, { status, code });
  }
}

/** The parts behind a door. */
interface Cast {
  readonly account: { readonly id: DeploymentFacts['account']; readonly slug: string };
  readonly key: string;
  readonly runner: ScriptedRunner;
  readonly served: DeploymentFacts;
  readonly stopped: DeploymentFacts;
  readonly starting: DeploymentFacts;
  readonly idle: DeploymentFacts;
  readonly foreign: DeploymentFacts;
}

async function castOf(rig: GatewayRig, slots?: number): Promise<Cast> {
  const account = rig.account('acme');
  const stranger = rig.account('stranger').id;
  const served = rig.deployment(account.id);
  const foreign = rig.deployment(stranger);
  rig.alias(account.id, 'demo-7b', served.id);
  rig.alias(stranger, 'theirs', foreign.id);
  return {
    account,
    key: rig.key(account.id).value,
    runner: await rig.runner({ dep: served.id, ...(slots !== undefined && { slots }) }),
    served,
    stopped: rig.deployment(account.id, { desired: 'stopped', state: 'stopped' }),
    starting: rig.deployment(account.id, { state: 'loading' }),
    idle: rig.deployment(account.id),
    foreign,
  };
}
