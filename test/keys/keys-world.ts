import { type AccountId, CreateAccount, type RpcContract } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { Client, type QueryResultRow } from 'pg';
import type { z } from 'zod';
import { Bus, ENV } from '../services/bus.js';
import { keysDatabase } from '../services/migrated.js';
import type { ServiceProcess } from '../services/service-process.js';
import type { TestService } from '../services/test-service.js';
import { type Outcome, PatientRpc } from '../services/patient-rpc.js';
import { spawnKeysService, startKeysService } from './keys-service.js';
import { TestGateway } from './test-gateway.js';

/** Real servers, replicas of keys-service, and their clients, for the tests of one file. */
export class KeysWorld {
  readonly #replicas: TestService[] = [];
  readonly #gateways: TestGateway[] = [];
  #accounts = 0;

  private constructor(
    readonly postgres: TestPostgres,
    readonly bus: Bus,
    readonly ops: RpcClient,
    /** Address of the service's database. */
    readonly database: string,
  ) {}

  static async start(): Promise<KeysWorld> {
    const [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
    return new KeysWorld(postgres, bus, new RpcClient(await bus.connect('ops'), ENV), await keysDatabase(postgres));
  }

  /** Starts a replica in this process and waits until it serves. */
  replica(environment: Record<string, string> = {}): Promise<TestService> {
    return this.#joined(startKeysService(this.bus, { KEYS_DATABASE_URL: this.database, ...environment }));
  }

  /** Starts a replica in its own process, which can be killed, and waits until it serves. */
  replicaProcess(environment: Record<string, string> = {}): Promise<ServiceProcess> {
    return this.#joined(spawnKeysService(this.bus, { KEYS_DATABASE_URL: this.database, ...environment }));
  }

  /** Starts a gateway and waits until its feed is complete. */
  async gateway(name: string, url?: string): Promise<TestGateway> {
    const gateway = await TestGateway.start(this.bus, name, url);
    this.#gateways.push(gateway);
    await gateway.whenFresh();
    return gateway;
  }

  /** Calls as an operator, with retries. */
  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return new PatientRpc(this.ops).ask(contract, request);
  }

  /** Calls once. @returns the error code of a refusal instead of throwing */
  outcome<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<Outcome<z.output<C['reply']>>> {
    return new PatientRpc(this.ops).outcome(contract, request);
  }

  /** A new account for one test. */
  async account(): Promise<AccountId> {
    const { id } = await this.ask(CreateAccount, { slug: `account-${(this.#accounts += 1)}` });
    return id;
  }

  /** Queries the database directly. */
  async sql<T extends QueryResultRow>(statement: string, parameters: unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.database });
    await client.connect();
    try {
      return (await client.query<T>(statement, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  /** The log of all replicas until now. */
  get output(): string {
    return this.#replicas.map((replica) => replica.output).join('\n');
  }

  /** Stops every replica. @returns all of their output */
  async lastWords(): Promise<string> {
    return (await Promise.all(this.#replicas.map((replica) => replica.lastWords()))).join('\n');
  }

  /** Stops every replica. */
  async stopReplicas(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.end()));
  }

  async end(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.stop()));
    await this.stopReplicas();
    await this.bus.end();
    await this.postgres.stop();
  }

  #joined<S extends TestService>(replica: S): Promise<S> {
    this.#replicas.push(replica);
    return replica.ready();
  }
}
