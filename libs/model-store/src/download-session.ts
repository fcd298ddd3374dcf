import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HostList } from '@slipway/platform';
import { DownloadError, noRoom, writeFault } from './download-error.js';
import type { DownloadedModel, DownloadOrder } from './download-messages.js';
import { ForbiddenHostError } from './guarded-fetch.js';
import { hubToken, isHubUri, type ModelFile, modelFiles } from './model-address.js';
import { type FileFacts, HttpStatusError, ModelWeb } from './model-web.js';
import { PartialState } from './partial-state.js';

const FILES = 'files';
/** Name of a file of another service. */
const INTERNAL_NAME = 'file.gguf';
const TICK_MS = 1_000;
/** Free space that must remain on the disk. */
const SPARE_BYTES = 16 * 1024 * 1024;
/** Pauses between attempts, doubling. `stallMs` bounds how long attempts continue. */
const RETRY_MS = { first: 250, most: 5_000 };

/** One URL of a file and what its server says about it. */
interface Source {
  readonly url: string;
  readonly facts: FileFacts;
}

/** A file to write. */
interface Target extends Pick<ModelFile, 'name'> {
  readonly path: string;
  readonly sources: readonly Source[];
  readonly bytes: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** One attempt to download a model into a folder, which may hold the beginning left by an earlier attempt. */
export class DownloadSession {
  readonly #folder: string;
  readonly #ended = new AbortController();
  #web: ModelWeb | undefined;
  #state: PartialState | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #shown = 0;

  constructor(
    private readonly order: DownloadOrder,
    private readonly onProgress: (progress: number) => void,
    /** Environment variables that name the hub and its credential. */
    private readonly environment: NodeJS.ProcessEnv,
    private readonly fetch: typeof globalThis.fetch = globalThis.fetch,
  ) {
    this.#folder = join(order.folder, FILES);
  }

  /** @throws DownloadError, ForbiddenHostError, and what the file system throws. */
  async run(): Promise<DownloadedModel> {
    const { used, targets } = await this.#bring(true);
    const model = await this.#verified(targets);
    if (model !== null) return model;
    // The bytes of an earlier process may be damaged; download everything again.
    const again = used ? await this.#bring(false) : null;
    const second = again && (await this.#verified(again.targets));
    if (second) return second;
    throw new DownloadError('The downloaded file does not have the SHA-256 checksum that it should have.', { left: 'wrong' });
  }

  /** Stops, and saves the state so that another attempt can continue. */
  async stop(): Promise<void> {
    this.#ended.abort();
    // `run` reports a failed write; here only its end matters.
    await Promise.allSettled([this.#writing]);
    await this.#state?.close();
  }

  async #bring(useLeft: boolean): Promise<{ used: boolean; targets: readonly Target[] }> {
    const left = await PartialState.read(this.order.folder);
    const web = (this.#web ??= await this.#openWeb());
    const targets = await this.#watched(web, this.#probe(web));
    const have = await this.#haveOf(targets);
    await this.#assertRoom(sum(targets.map(({ bytes }) => bytes)), sum(have));
    const stamps = new Map(targets.flatMap(({ sources }) => sources).map(({ url, facts }) => [addressOf(url), facts.stamp]));
    const used = sum(have) > 0 && useLeft && this.#mayContinue(left, stamps, targets);
    if (!used) await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true });
    this.#state = await left.begin(stamps);
    await this.#watched(web, this.#fetchAll(web, targets));
    await this.#state.close();
    return { used, targets };
  }

  async #openWeb(): Promise<ModelWeb> {
    const { uri, address, sha256, hosts } = this.order;
    const hub = isHubUri(uri);
    const token = hub ? await hubToken(this.environment) : null;
    const internal = address === null ? null : { digest: sha256 ?? '' };
    return new ModelWeb({ fetch: this.fetch, hosts: new HostList(hosts), internal, hub, token, signal: this.#ended.signal });
  }

  /** Asks the servers for the files and their sizes before anything is written. */
  async #probe(web: ModelWeb): Promise<readonly Target[]> {
    const { uri, address } = this.order;
    const files =
      address === null
        ? await this.#persist(web, () => modelFiles(uri, (url) => web.json(url), this.environment))
        : [{ name: INTERNAL_NAME, urls: [address] }];
    const targets: Target[] = [];
    for (const { name, urls } of files) {
      const sources: Source[] = [];
      for (const url of urls) sources.push({ url, facts: await this.#persist(web, () => web.probe(url)) });
      targets.push({ name, sources, path: join(this.#folder, name), bytes: sum(sources.map(({ facts }) => facts.bytes)) });
    }
    return targets;
  }

  async #haveOf(targets: readonly Target[]): Promise<number[]> {
    return Promise.all(targets.map(({ path, bytes }) => sizeOf(path).then((size) => Math.min(size, bytes))));
  }

  /** A partial file is continued if its checksum will be compared, or if it is known to be sound. In both cases it must be the same file. */
  #mayContinue(left: PartialState, stamps: ReadonlyMap<string, string | null>, targets: readonly Target[]): boolean {
    const known = targets.every(({ sources }) => digestOf(sources) !== null);
    const checked = known || (this.order.sha256 !== null && targets.length === 1);
    return left.matches(stamps) && (checked || left.sound);
  }

  async #assertRoom(total: number, have: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.order.folder);
    const room = Math.min(bavail * bsize + have - SPARE_BYTES, this.order.room ?? Number.POSITIVE_INFINITY);
    if (total > room) throw noRoom(total, room);
  }

  async #fetchAll(web: ModelWeb, targets: readonly Target[]): Promise<void> {
    const total = sum(targets.map(({ bytes }) => bytes));
    let before = 0;
    for (const target of targets) {
      const done = before;
      await this.#fetch(web, target, (bytes) => this.#show((done + bytes) / total));
      before += target.bytes;
    }
  }

  /** Appends to a file until it is whole. */
  async #fetch(web: ModelWeb, target: Target, show: (bytes: number) => void): Promise<void> {
    const file = await open(target.path, 'a').catch((error: unknown) => {
      throw writeFault(error);
    });
    try {
      let start = 0;
      for (const source of target.sources) {
        await this.#persist(web, () => this.#append({ web, file, target, source, start, show }));
        start += source.facts.bytes;
      }
    } finally {
      await file.close();
    }
  }

  async #append({ web, file, target, source: { url, facts }, start, show }: Appending): Promise<void> {
    let size = await sizeOf(target.path);
    // This piece is complete already.
    if (size - start >= facts.bytes) return show(size);
    const restarted = async (): Promise<void> => {
      await file.truncate(start).catch((error: unknown) => {
        throw writeFault(error);
      });
      size = start;
    };
    for await (const chunk of web.read(url, size - start, facts, restarted)) {
      this.#writing = writeWhole(file, chunk);
      await this.#writing;
      web.progressed();
      show((size += chunk.byteLength));
    }
  }

  /** Repeats failing work with growing pauses. Bytes that arrive reset the pause. */
  async #persist<T>(web: ModelWeb, work: () => Promise<T>): Promise<T> {
    let pause = RETRY_MS.first;
    for (;;) {
      const from = performance.now();
      try {
        return await work();
      } catch (error) {
        if (this.#ended.signal.aborted || isFinal(error)) throw error;
        web.failed(error);
        if (web.quietMs < performance.now() - from) pause = RETRY_MS.first;
      }
      await delay(pause, undefined, { signal: this.#ended.signal });
      pause = Math.min(RETRY_MS.most, pause * 2);
    }
  }

  /** Waits for the work, but fails when no byte has come for `stallMs`. */
  async #watched<T>(web: ModelWeb, work: Promise<T>): Promise<T> {
    const { stallMs } = this.order;
    let stall: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      let quietTicks = 0;
      stall = setInterval(() => {
        // Counts timer ticks instead of time, so that a suspended process does not report a stalled server.
        quietTicks = web.quietMs < TICK_MS ? 0 : quietTicks + 1;
        if (quietTicks * TICK_MS < stallMs) return;
        const why = web.trouble === null ? '' : ` (${web.trouble})`;
        reject(new DownloadError(`No data came from the server for ${Math.round(stallMs / 1000)} s${why}.`));
      }, TICK_MS);
    });
    try {
      // The race also handles a rejection of the work that loses it.
      return await Promise.race([work, stalled]);
    } finally {
      clearInterval(stall);
    }
  }

  #show(progress: number): void {
    this.#shown = Math.max(this.#shown, Math.min(1, progress));
    this.onProgress(this.#shown);
  }

  /** @returns null when a checksum differs. @throws DownloadError when a file has another length than announced. */
  async #verified(targets: readonly Target[]): Promise<DownloadedModel | null> {
    let first = '';
    let verified = true;
    for (const [i, { path, bytes, sources }] of targets.entries()) {
      if ((await sizeOf(path)) !== bytes) throw new DownloadError('The download is incomplete.', { left: 'nothing' });
      const digest = await fileDigest(path);
      const wanted = (i === 0 ? this.order.sha256 : null) ?? digestOf(sources);
      if (wanted !== null && wanted !== digest) return null;
      if (i === 0) first = digest;
      verified &&= wanted !== null;
    }
    const [entry] = targets;
    if (!entry) throw new DownloadError('The address names no file.', { left: 'nothing' });
    return { file: join(FILES, entry.name), sha256: first, bytes: sum(targets.map(({ bytes }) => bytes)), verified };
  }
}

interface Appending {
  readonly web: ModelWeb;
  readonly file: FileHandle;
  readonly target: Target;
  readonly source: Source;
  /** Offset of the source in the file. */
  readonly start: number;
  readonly show: (bytes: number) => void;
}

/** The server's checksum of a file; null where it sends none, or where the file comes in pieces. */
const digestOf = (sources: readonly Source[]): string | null => (sources.length === 1 ? (sources[0]?.facts.digest ?? null) : null);

/** A URL without its query, which may hold a new signature each time. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** Errors that a repetition does not mend. */
const isFinal = (error: unknown): boolean =>
  error instanceof DownloadError || error instanceof ForbiddenHostError || error instanceof HttpStatusError;

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < chunk.byteLength;) at += (await file.write(chunk, at)).bytesWritten;
  } catch (error) {
    throw writeFault(error);
  }
}

/** SHA-256 of a file, in hex. */
async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 4 * 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
