import { mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { HostList } from '@slipway/platform';
import { type ModelDownload, openDownload } from './model-downloader.js';
import type { DiskWatch } from './disk-watch.js';
import { DownloadError, noRoom } from './download-error.js';
import type { DownloadedModel, DownloadOrder } from './download-messages.js';
import { fileDigest } from './file-digest.js';
import { folderSize } from './folder-size.js';
import { PartialState } from './partial-state.js';
import { WebWatch } from './web-watch.js';

const FILES = 'files';
const TICK_MS = 1_000;
/** Room that must be left on the disk beside the model. */
const SPARE_BYTES = 16 * 1024 * 1024;

const originalFetch = globalThis.fetch;

/** One attempt to bring a model into a folder, which may hold the beginning that an earlier one left. */
export class DownloadSession {
  readonly #folder: string;
  #download: ModelDownload | null = null;
  #state: PartialState | null = null;
  #fatal: (error: unknown) => void = () => undefined;
  readonly #failed = new Promise<never>((_, reject) => (this.#fatal = reject));

  constructor(
    private readonly order: DownloadOrder,
    private readonly disk: DiskWatch,
    private readonly onProgress: (progress: number) => void,
  ) {
    this.#folder = join(order.folder, FILES);
    this.#failed.catch(() => undefined);
  }

  /** Ends the attempt with an error that no repetition mends. */
  readonly fail = (error: unknown): void => this.#fatal(error);

  /** @throws DownloadError, and whatever the library throws. */
  async run(): Promise<DownloadedModel> {
    const { used, watch } = await this.#bring(true);
    const model = await this.#verified(watch);
    if (model !== null) return model;
    // What an earlier process left may have been damaged, what this one wrote is not.
    const again = used ? await this.#bring(false) : null;
    const second = again && (await this.#verified(again.watch));
    if (second) return second;
    throw new DownloadError('The downloaded file does not have the SHA-256 checksum that it should have.', { left: 'wrong' });
  }

  /** Stops and makes what has arrived fit to be continued. */
  async stop(): Promise<void> {
    await this.#download?.stop().catch(() => undefined);
    await this.disk.quiet();
    await this.#state?.close();
  }

  async #bring(useLeft: boolean): Promise<{ used: boolean; watch: WebWatch }> {
    if (!useLeft) await this.#clear();
    const left = await PartialState.read(this.order.folder);
    const maxFileBytes = await this.#room((await folderSize(this.#folder)).bytes);
    let watch = this.#watch(maxFileBytes);
    let download = await this.#open(watch);
    const used = download.files.some(({ have }) => have > 0);
    if (used && !this.#mayContinue(left, watch, download)) {
      await this.#clear();
      watch = this.#watch(maxFileBytes);
      download = await this.#open(watch);
    }
    this.#assertLengths(download, watch);
    await this.#assertRoom(download);
    await watch.reading();
    this.#state = await left.begin(watch.stamps);
    this.#download = download;
    await this.#orFailure(download.run(), watch);
    await this.disk.quiet();
    await this.#state.close();
    return { used, watch };
  }

  #watch(maxFileBytes: number): WebWatch {
    const { uri, hosts } = this.order;
    const watch = new WebWatch({
      fetch: originalFetch,
      hosts: new HostList(hosts),
      hub: uri.startsWith('hf:'),
      maxFileBytes,
      ready: () => this.disk.ready(),
      fatal: this.fail,
    });
    globalThis.fetch = watch.fetch;
    return watch;
  }

  async #open(watch: WebWatch): Promise<ModelDownload> {
    await mkdir(this.#folder, { recursive: true });
    return this.#orFailure(openDownload({ uri: this.order.uri, folder: this.#folder, onProgress: this.onProgress }), watch);
  }

  /** With a checksum to compare, a beginning may be tried; without one it must be known to be sound and of the same file. */
  #mayContinue(left: PartialState, watch: WebWatch, { files }: ModelDownload): boolean {
    const checked = watch.digestsKnown || (this.order.sha256 !== null && files.length === 1);
    return left.matches(watch.stamps) && (checked || left.sound);
  }

  async #clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** An answer that breaks off would pass for the whole file. */
  #assertLengths({ files }: ModelDownload, watch: WebWatch): void {
    if (watch.trouble !== null || files.every(({ bytes }) => bytes > 0)) return;
    throw new DownloadError('The server does not say how long the file is.', { left: 'nothing' });
  }

  /** Bytes that the model may take, those included that are here already. */
  async #room(have = 0): Promise<number> {
    const { bavail, bsize } = await statfs(this.order.folder);
    return Math.min(bavail * bsize + have - SPARE_BYTES, this.order.room ?? Number.POSITIVE_INFINITY);
  }

  async #assertRoom({ files }: ModelDownload): Promise<void> {
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const room = await this.#room(files.reduce((sum, { have }) => sum + have, 0));
    if (total > room) throw noRoom(total, room);
  }

  async #orFailure<T>(work: Promise<T>, watch: WebWatch): Promise<T> {
    work.catch(() => undefined);
    const stallMs = this.order.stallMs;
    let quietTicks = 0;
    const stall = setInterval(() => {
      // Turns of this loop are counted beside the clock: a process that was frozen blames no server.
      quietTicks = watch.quietMs < TICK_MS ? 0 : quietTicks + 1;
      if (quietTicks * TICK_MS < stallMs) return;
      const why = watch.trouble === null ? '' : ` (${watch.trouble})`;
      this.fail(new DownloadError(`No data came from the server for ${Math.round(stallMs / 1000)} s${why}.`));
    }, TICK_MS);
    try {
      return await Promise.race([work, this.#failed]);
    } finally {
      clearInterval(stall);
    }
  }

  /** Null when a checksum differs. @throws DownloadError when a file is not as long as its server said. */
  async #verified(watch: WebWatch): Promise<DownloadedModel | null> {
    const { entry, files, spliced } = this.#download as ModelDownload;
    let bytes = 0;
    let sha256 = '';
    let verified = true;
    for (const file of files) {
      const path = join(this.#folder, file.name);
      const { size } = await stat(path);
      if (file.bytes > 0 && size !== file.bytes) throw new DownloadError('The download came out incomplete.', { left: 'nothing' });
      const digest = await fileDigest(path);
      const wanted = (file.name === entry ? this.order.sha256 : null) ?? (spliced ? null : watch.digestOf(file.name));
      if (wanted !== null && wanted !== digest) return null;
      if (file.name === entry) sha256 = digest;
      verified &&= wanted !== null;
      bytes += size;
    }
    return { file: join(FILES, entry), sha256, bytes, verified };
  }
}
