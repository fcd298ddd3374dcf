import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll } from 'vitest';
import { tuningDatabase } from '../services/migrated.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { SignedOutPage } from './signed-out-page.js';

/** A console and a person with tuning-service behind them. */
export class DataSetsStage {
  readonly page = SignedOutPage.around();
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-data-sets-'));
  #postgres: TestPostgres | undefined;
  #service: ServiceInProcess | undefined;

  /** Starts it before the tests of the calling file. */
  static around(): DataSetsStage {
    const stage = new DataSetsStage();
    beforeAll(() => stage.#start(), 120_000);
    afterAll(() => stage.#end());
    return stage;
  }

  /** What the service logged. */
  get log(): string {
    return this.#service?.output ?? '';
  }

  async #start(): Promise<void> {
    this.#postgres = await startTestPostgres();
    const settings = {
      LOG_LEVEL: 'debug',
      TUNING_DATABASE_URL: await tuningDatabase(this.#postgres),
      SLIPWAY_SECRET_KEY: 'ab'.repeat(32),
      BLOB_DIR: join(this.#folder, 'blobs'),
    };
    this.#service = await new ServiceInProcess('tuning-service', this.page.world.keys.bus, settings).ready();
  }

  async #end(): Promise<void> {
    await this.#service?.end();
    await this.#postgres?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
