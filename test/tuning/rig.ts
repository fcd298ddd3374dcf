import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountId, CreateDataset, type DatasetId, FindBlobDoor, FindDataset, type Role, type RpcContract } from '@slipway/contracts';
import { type NatsConnection, RpcClient } from '@slipway/platform';
import type { TestPostgres } from '@slipway/testing';
import type { z } from 'zod';
import { BreakableTcp } from '../deployments/breakable-tcp.js';
import { Bus, ENV } from '../services/bus.js';
import { tuningDatabase } from '../services/migrated.js';
import { type Outcome, PatientRpc } from '../services/patient-rpc.js';
import { opened, postgresTest } from '../services/rig-test.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { ServiceProcess } from '../services/service-process.js';
import type { TestService } from '../services/test-service.js';

/** What the service seals with. */
export const SECRET_KEY = 'ab'.repeat(32);

let accounts = 0;
/** An account that no other test of this file uses. */
export const anAccount = (): AccountId => (accounts += 1) as AccountId;

type Settings = Readonly<Record<string, string>>;

/** tuning-service with a NATS server that enforces permissions, a database, and folders of its own. */
export class TuningRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-tuning-'));
  readonly #replicas: TestService[] = [];
  #bus!: Bus;
  #isOwnBus = true;
  #patient!: PatientRpc;
  /** Asks once, for tests of what is answered while something is away. */
  rpc!: RpcClient;
  #databaseUrl = '';
  /** By which replicas reach it. */
  #servedUrl = '';
  #way: BreakableTcp | undefined;
  #console: Promise<PatientRpc> | undefined;

  /** @param bus one that is there already, and that stays */
  static async open(postgres: TestPostgres, bus?: Bus): Promise<TuningRig> {
    const rig = new TuningRig();
    try {
      await rig.#open(postgres, bus);
      return rig;
    } catch (error) {
      await rig.close();
      throw error;
    }
  }

  /** A rig with one replica. */
  static async serving(postgres: TestPostgres): Promise<TuningRig> {
    const rig = await TuningRig.open(postgres);
    await rig.startReplica().catch(async (error: unknown) => {
      await rig.close();
      throw error;
    });
    return rig;
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.end()));
    if (this.#isOwnBus) await this.#bus?.end();
    await this.#way?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** For processes of other services beside it. */
  get bus(): Bus {
    return this.#bus;
  }

  /** Address of the service's database. */
  get databaseUrl(): string {
    return this.#databaseUrl;
  }

  /** Has the replicas that start from now on reach their database by a way that can be cut; every byte takes it, which costs. */
  async breakableDatabase(): Promise<BreakableTcp> {
    [this.#way, this.#servedUrl] = await BreakableTcp.toDatabase(this.#databaseUrl);
    return this.#way;
  }

  /** Starts a replica in this process and waits until it is ready. */
  startReplica(settings: Settings = {}): Promise<TestService> {
    return this.#joined(new ServiceInProcess('tuning-service', this.#bus, this.#environment(settings)));
  }

  /** The same as a process of its own, which can be killed. */
  startProcess(settings: Settings = {}): Promise<ServiceProcess> {
    return this.#joined(new ServiceProcess('tuning-service', this.#bus, this.#environment({ DRAIN_MS: '3000', ...settings })));
  }

  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#patient.ask(contract, request);
  }

  /** Asks once, and gives the code of a refusal. */
  outcome<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<Outcome<z.output<C['reply']>>> {
    return this.#patient.outcome(contract, request);
  }

  /** Address of the blob door, as consoles ask for it. */
  async doorUrl(): Promise<string> {
    this.#console ??= this.connect('console').then((nats) => new PatientRpc(new RpcClient(nats, ENV)));
    return (await (await this.#console).ask(FindBlobDoor, {})).url;
  }

  /** Another connection, with the permissions of a role. */
  connect(role: Role): Promise<NatsConnection> {
    return this.#bus.connect(role);
  }

  async createDataset(account: AccountId, name = 'support', more: object = {}): Promise<DatasetId> {
    return (await this.ask(CreateDataset, { account, name, ...more })).dataset;
  }

  findDataset(account: AccountId, dataset: DatasetId): Promise<z.output<typeof FindDataset.reply>> {
    return this.ask(FindDataset, { account, dataset });
  }

  async #joined<S extends TestService>(replica: S): Promise<S> {
    this.#replicas.push(replica);
    return replica.ready();
  }

  #environment(settings: Settings): Settings {
    return {
      LOG_LEVEL: 'debug',
      TUNING_DATABASE_URL: this.#servedUrl,
      SLIPWAY_SECRET_KEY: SECRET_KEY,
      BLOB_DIR: join(this.folder, 'blobs'),
      ...settings,
    };
  }

  async #open(postgres: TestPostgres, bus: Bus | undefined): Promise<void> {
    this.#databaseUrl = await tuningDatabase(postgres);
    this.#servedUrl = this.#databaseUrl;
    this.#isOwnBus = bus === undefined;
    this.#bus = bus ?? (await Bus.start());
    this.rpc = new RpcClient(await this.#bus.connect('ops'), ENV);
    this.#patient = new PatientRpc(this.rpc);
  }
}

/** Tests with a rig of their own, or with one rig and one replica for their file. */
export const rigTest = postgresTest.extend<{ rig: TuningRig; served: TuningRig }>({
  rig: opened((postgres) => TuningRig.open(postgres)),
  served: [opened((postgres) => TuningRig.serving(postgres)), { scope: 'file' }],
});
