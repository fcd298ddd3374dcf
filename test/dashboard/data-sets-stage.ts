import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  #files: Server | undefined;
  /** Address of a host that data sets may be imported from; it answers every path with `imported`. */
  filesUrl = '';
  imported = '';

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
      DATASET_HOSTS: new URL(await this.#serveFiles()).host,
    };
    this.#service = await new ServiceInProcess('tuning-service', this.page.world.keys.bus, settings).ready();
  }

  async #serveFiles(): Promise<string> {
    this.#files = createServer((_, response) => void response.end(this.imported)).listen(0, '127.0.0.1');
    await once(this.#files, 'listening');
    this.filesUrl = `http://127.0.0.1:${(this.#files.address() as AddressInfo).port}`;
    return this.filesUrl;
  }

  async #end(): Promise<void> {
    this.#files?.close();
    await this.#service?.end();
    await this.#postgres?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
