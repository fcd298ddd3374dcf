import type { AccountId } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { TcpGate, type TestPostgres } from '@slipway/testing';
import { until } from '../testing/until.js';
import { machineNow } from '../feed/feed-rig.js';
import { Bus, ENV } from './bus.js';
import type { Ask, FeedOwner, Thing } from './feed-owners.js';
import { type Deafness, Follower } from './follower.js';
import { unanswered } from './patient-rpc.js';
import { ServiceProcess } from './service-process.js';

/** Only bounds a failure. */
const DONE_WITHIN_MS = 60_000;

/** One service as a process, with NATS servers and a database of its own, and followers of its feed. */
export class FeedScene {
  readonly #services: ServiceProcess[] = [];
  readonly #followers: Follower[] = [];
  #rpc!: RpcClient;
  #account: AccountId | undefined;

  private constructor(
    readonly owner: FeedOwner,
    readonly bus: Bus,
    /** The way from the service to its database. */
    readonly gate: TcpGate,
    /** The database itself. */
    readonly database: string,
  ) {}

  /** @param nodes number of NATS servers. */
  static async open(owner: FeedOwner, postgres: TestPostgres, nodes = 1): Promise<FeedScene> {
    const database = await postgres.createDatabase();
    const [bus, gate] = await Promise.all([Bus.start(nodes), TcpGate.open(database)]);
    const scene = new FeedScene(owner, bus, gate, database);
    scene.#rpc = new RpcClient(await bus.connect('ops'), ENV);
    return scene;
  }

  /** Starts the service and waits until it serves. */
  async service(): Promise<ServiceProcess> {
    const service = new ServiceProcess(this.owner.app, this.bus, this.owner.environment(this.gate.through(this.database)));
    this.#services.push(service);
    return service.ready();
  }

  async follower(name: string, deafness?: Deafness): Promise<Follower> {
    const follower = new Follower(this.owner, await this.bus.connect('gateway'), name, deafness);
    this.#followers.push(follower);
    return follower;
  }

  /** Makes a thing, if that succeeds at once. */
  async tryToMake(): Promise<Thing> {
    return this.owner.make(this.#ask, await this.#ownAccount());
  }

  async tryToWithdraw(thing: Thing): Promise<boolean> {
    return this.owner.withdraw(this.#ask, thing);
  }

  /** Makes a thing, as soon as the service answers. */
  make(): Promise<Thing> {
    return this.#untilAnswered('a thing is made', () => this.tryToMake());
  }

  /** Withdraws a thing as soon as the service answers, and tells when that was known to be committed. */
  async withdraw(thing: Thing): Promise<{ confirmed: boolean; at: number }> {
    const withdrawn = await this.#untilAnswered('a thing is withdrawn', async () => ({ confirmed: await this.tryToWithdraw(thing) }));
    return { ...withdrawn, at: machineNow() };
  }

  async end(): Promise<void> {
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    await Promise.all(this.#services.map((service) => service.end()));
    await this.bus.end();
    await this.gate.end();
  }

  readonly #ask: Ask = (contract, request) => this.#rpc.call(contract, request);

  async #ownAccount(): Promise<AccountId> {
    this.#account ??= await this.owner.account(this.#ask);
    return this.#account;
  }

  #untilAnswered<T extends object>(what: string, attempt: () => Promise<T>): Promise<T> {
    return until(what, () => attempt().catch(unanswered), DONE_WITHIN_MS);
  }
}
