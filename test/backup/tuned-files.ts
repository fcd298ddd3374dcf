import { execFileSync } from 'node:child_process';
import { type AccountId, type AdapterId, type DatasetId, DownloadDataset, ExportAdapter } from '@slipway/contracts';
import { expect } from 'vitest';
import { checked, DoorClient, sha256Of, uploadFile } from '../tuning/bytes.js';
import type { JobsStage } from '../tuning/jobs-stage.js';
import type { TuningRig } from '../tuning/rig.js';

/** A data set and one version of it. */
export interface OneVersion {
  readonly dataset: DatasetId;
  readonly version: number;
}

/** Data sets and adapters of one account, and what their files hold. */
export class TunedFiles {
  constructor(
    private readonly rig: TuningRig,
    private readonly stage: JobsStage,
    readonly account: AccountId,
  ) {}

  /** A data set with one version of a file. */
  async dataSet(name: string, text: string): Promise<OneVersion> {
    const { rig, account } = this;
    const dataset = await rig.createDataset(account, name);
    const version = await uploadFile(rig, { account, dataset, text });
    expect(await checked(rig, account, dataset, version)).toMatchObject({ state: 'ready' });
    return { dataset, version };
  }

  async trained(dataset: DatasetId): Promise<AdapterId> {
    const { stage, account } = this;
    const trainer = await stage.trainer();
    const job = await stage.job({ account, dataset });
    const item = await stage.given(trainer, job);
    await trainer.report(item, { state: 'running', steps: 20 });
    await trainer.report(item, { state: 'finishing' });
    await trainer.report(item, { state: 'succeeded', ...(await trainer.result(item)) });
    return (await stage.seen(account, job, 'succeeded')).adapter!;
  }

  /** SHA-256 of the file that was uploaded, as it is downloaded now. */
  async original({ dataset, version }: OneVersion): Promise<string> {
    return this.#fetched((await this.rig.ask(DownloadDataset, { account: this.account, dataset, version, what: 'original' })).path);
  }

  /** SHA-256 of both forms of an adapter. */
  async forms(adapter: AdapterId): Promise<string[]> {
    const { rig, account } = this;
    const paths = (['gguf', 'peft'] as const).map(async (form) => (await rig.ask(ExportAdapter, { account, adapter, form })).path);
    return Promise.all((await Promise.all(paths)).map((path) => this.#fetched(path)));
  }

  async #fetched(path: string): Promise<string> {
    return sha256Of(Buffer.from(await (await fetch(await new DoorClient(this.rig).url(path))).arrayBuffer()));
  }
}

/** Names of the blobs that an archive refers to, as docs/operations/databases.md lists them. */
export function blobsOf(archive: string): string[] {
  const listed = `tar -xOf "$1" --wildcards 'tuning/blobs/*' | zcat`;
  return execFileSync('sh', ['-c', listed, 'sh', archive], { encoding: 'utf8' }).split('\n').filter(Boolean);
}
