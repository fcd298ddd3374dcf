import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll } from 'vitest';
import type { BusTls } from '../services/bus.js';
import { keysDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { PEPPER_SECRET } from '../services/service-process.js';
import { type Agent, WorkerRig } from './rig.js';

/** A keys-service, and an agent with credentials to join only. */
export class OwnNameStage {
  readonly rig = new WorkerRig();
  keys!: ServiceInProcess;
  agent!: Agent;
  #postgres: TestPostgres | undefined;

  /** @param options of the servers; one without TLS unless given */
  constructor(private readonly options: { nodes?: number; tls?: BusTls } = {}) {}

  /** Starts it before the tests of the calling file. */
  static around(options?: { nodes?: number; tls?: BusTls }): OwnNameStage {
    const stage = new OwnNameStage(options);
    beforeAll(() => stage.#start());
    afterAll(() => stage.#end());
    return stage;
  }

  async #start(): Promise<void> {
    [this.#postgres] = await Promise.all([startTestPostgres(), this.rig.open({ named: true, ...this.options })]);
    this.keys = await new ServiceInProcess('keys-service', this.rig.bus, {
      KEYS_DATABASE_URL: await keysDatabase(this.#postgres),
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: 'cd'.repeat(32),
      ...this.rig.bus.tlsSettings,
    }).ready();
    this.agent = await this.rig.startAgent();
  }

  async #end(): Promise<void> {
    await this.rig.close();
    await this.keys?.end();
    await this.#postgres?.stop();
  }
}
