import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountId, CreateDataset, type DatasetId, FindBlobDoor, FindVersion, OpenUpload, type RpcContract } from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, RpcClient } from '@slipway/platform';
import { startTestPostgres, TestNatsServer } from '@slipway/testing';
import type { z } from 'zod';
import { AppProcess } from './processes/app-process.js';
import type { CleanUp } from './processes/clean-up.js';
import { waitUntil } from './processes/wait-until.js';

const ENV = 'bench';
const ACCOUNT = 1 as AccountId;
const WITHIN_MS = 300_000;

/** tuning-service with its servers, training workers beside it, and calls of an operator. */
export class TuningFleet {
  readonly #log = createLogger('bench', 'silent');
  #workers = 0;

  private constructor(
    private readonly given: { readonly root: string; readonly path: string | undefined; readonly cleanUp: CleanUp },
    private readonly nats: { readonly server: TestNatsServer; readonly ops: NatsConnection },
    readonly folder: string,
    readonly service: AppProcess,
  ) {}

  static async start(root: string, path: string | undefined, cleanUp: CleanUp): Promise<TuningFleet> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-tuning-bench-'));
    cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const [server, postgres] = await Promise.all([TestNatsServer.start(), startTestPostgres()]);
    cleanUp.add(() => postgres.stop());
    cleanUp.add(() => server.end());
    const { running } = await AppProcess.start(root, 'tuning-service', {
      ...{ PATH: path, SLIPWAY_ENV: ENV, NATS_URL: server.url, SLIPWAY_SECRET_KEY: 'ab'.repeat(32), QUOTA_RUNNING_JOBS: '4' },
      ...{ TUNING_DATABASE_URL: await postgres.createDatabase(), BLOB_DIR: join(folder, 'blobs') },
    });
    cleanUp.add(() => running.stop());
    const ops = await connectNats({ url: server.url, role: 'ops', name: 'bench', log: createLogger('bench', 'silent') });
    cleanUp.add(() => ops.close());
    return new TuningFleet({ root, path, cleanUp }, { server, ops }, folder, running);
  }

  /** @param trainers folder in which the embedded trainer is installed, or into which it will be */
  async startWorker(trainers: string): Promise<AppProcess> {
    const { root, path, cleanUp } = this.given;
    const { running } = await AppProcess.start(root, 'training-worker', {
      ...{ PATH: path, SLIPWAY_ENV: ENV, NATS_URL: this.nats.server.url, TRAINERS_DIR: trainers, MODEL_DIRS: join(root, 'models') },
      TRAINING_DIR: join(this.folder, `worker-${(this.#workers += 1)}`),
    });
    cleanUp.add(() => running.stop());
    return running;
  }

  ask<C extends RpcContract>(
    contract: C,
    request: Omit<z.input<C['request']>, 'account'> & { readonly account?: AccountId },
  ): Promise<z.output<C['reply']>> {
    return new RpcClient(this.nats.ops, ENV).call(contract, { account: ACCOUNT, ...request } as z.input<C['request']>);
  }

  createDataset(name: string): Promise<DatasetId> {
    return this.ask(CreateDataset, { name }).then(({ dataset }) => dataset);
  }

  /** Address to which a file of so many bytes may be sent. */
  async openUpload(dataset: DatasetId, bytes: number): Promise<string> {
    const nats = await connectNats({ url: this.nats.server.url, role: 'console', name: 'bench', log: this.#log });
    try {
      const { url } = await new RpcClient(nats, ENV).call(FindBlobDoor, {});
      return `${url}${(await this.ask(OpenUpload, { dataset, bytes })).path}`;
    } finally {
      await nats.close();
    }
  }

  /** Waits until a version is ready. */
  async checked(dataset: DatasetId, version: number): Promise<void> {
    await waitUntil('a version is checked', WITHIN_MS, async () => {
      const { version: view } = await this.ask(FindVersion, { dataset, version });
      return view.state === 'ready' || view.state === 'invalid' ? view : null;
    });
  }
}
