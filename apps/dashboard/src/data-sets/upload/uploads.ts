import { session } from '../../session/session.js';
import { readTab, writeTab } from '../../session/tab-memory.js';
import { messageOf } from '../../api/console-error.js';
import { call } from '../../api/use-call.js';
import { UploadError, uploadFile } from './tus.js';

/** An upload as it is shown. */
export interface UploadProgress {
  /** `checking`: its SHA-256 is computed. `finishing`: all bytes are there. */
  readonly phase: 'checking' | 'sending' | 'finishing' | 'failed';
  readonly fileName: string;
  readonly bytes: number;
  /** From 0 to 1. */
  readonly share: number;
  /** The upload's id once it is open. */
  readonly id: string | null;
  /** Why it failed. */
  readonly message: string | null;
}

/** What a tab remembers of an upload, so that a reload can continue it. The ticket is not among it. */
export interface KeptUpload {
  readonly id: string;
  /** Repeating the opening with it leads to the same upload. */
  readonly key: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface Running {
  readonly file: File;
  readonly stop: AbortController;
}

const nameOf = (dataset: number): string => `upload.${dataset}`;
const userNow = (): number => (session.state.kind === 'in' ? session.state.user : 0);
/** Between two looks for the version that is made of the bytes, in milliseconds. */
const LOOK_EVERY_MS = 500;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The uploads of this page, one for each data set. They go on while people look at other screens. */
class Uploads {
  readonly #shown = new Map<number, UploadProgress>();
  readonly #running = new Map<number, Running>();
  readonly #listeners = new Set<() => void>();

  /** @returns how to stop */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The upload into a data set; null = there is none. */
  of(dataset: number): UploadProgress | null {
    return this.#shown.get(dataset) ?? null;
  }

  /** What this tab remembers of an upload that a reload interrupted. */
  kept(dataset: number): KeptUpload | null {
    return (readTab(userNow(), nameOf(dataset)) as KeptUpload | undefined) ?? null;
  }

  /** Sends a file as a new version. */
  begin(dataset: number, file: File): void {
    void this.#run(dataset, file, null);
  }

  /** Goes on with an upload after a reload. The file must be the same. */
  resume(dataset: number, file: File, kept: KeptUpload): void {
    void this.#run(dataset, file, kept);
  }

  /** Tries again what failed, with the file that is still chosen. */
  retry(dataset: number): void {
    const running = this.#running.get(dataset);
    if (running) void this.#run(dataset, running.file, this.kept(dataset));
  }

  /** Ends an upload; what arrived of it is removed. */
  async cancel(dataset: number): Promise<void> {
    const id = this.of(dataset)?.id ?? this.kept(dataset)?.id;
    this.#running.get(dataset)?.stop.abort();
    this.#forget(dataset);
    if (id !== undefined && id !== null) await call('uploads/cancel', { upload: id });
  }

  async #run(dataset: number, file: File, kept: KeptUpload | null): Promise<void> {
    this.#running.get(dataset)?.stop.abort();
    const stop = new AbortController();
    this.#running.set(dataset, { file, stop });
    const { signal } = stop;
    const show = (change: Partial<UploadProgress>): void => {
      if (!signal.aborted) this.#show(dataset, { ...(this.of(dataset) ?? blank(file)), ...change });
    };
    try {
      show({ ...blank(file), id: kept?.id ?? null });
      const { sha256Of } = await import('./file-hash.js');
      const sha256 = await sha256Of(file, signal, (share) => show({ share }));
      const { path, opened } = await this.#open(dataset, file, sha256, kept);
      show({ phase: 'sending', share: 0, id: opened.id });
      await uploadFile({ path, file, signal, onProgress: (sent) => show({ share: file.size === 0 ? 1 : sent / file.size }) });
      show({ phase: 'finishing', share: 1 });
      await this.#finish(opened.id, signal);
      this.#forget(dataset);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof UploadError && error.isOver) writeTab(userNow(), nameOf(dataset), null);
      show({ phase: 'failed', message: error instanceof UploadError ? error.message : messageOf(error) });
    }
  }

  async #open(dataset: number, file: File, sha256: string, kept: KeptUpload | null): Promise<{ path: string; opened: KeptUpload }> {
    if (kept !== null && kept.sha256 !== sha256)
      throw new UploadError(`This is not the file that was begun: ${kept.fileName}. Choose that one, or cancel the upload.`, false);
    const key = kept?.key ?? crypto.randomUUID();
    const { upload, path } = await call('uploads/open', {
      ...{ dataset, bytes: file.size, file_name: file.name.slice(0, 255), sha256, idempotency_key: key },
    });
    const opened = { id: upload, key, fileName: file.name, bytes: file.size, sha256 };
    writeTab(userNow(), nameOf(dataset), opened);
    return { path, opened };
  }

  /** Waits for the version that is made of the bytes. */
  async #finish(upload: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { upload: found } = await call('uploads/find', { upload }, signal);
      if (found.version !== null) return;
      if (found.state !== 'open' && found.state !== 'complete')
        throw new UploadError('This upload has expired or was cancelled. Start it again.', true);
      await wait(LOOK_EVERY_MS);
    }
  }

  #show(dataset: number, progress: UploadProgress): void {
    this.#shown.set(dataset, progress);
    for (const listener of this.#listeners) listener();
  }

  #forget(dataset: number): void {
    this.#running.delete(dataset);
    this.#shown.delete(dataset);
    writeTab(userNow(), nameOf(dataset), null);
    for (const listener of this.#listeners) listener();
  }
}

const blank = (file: File): UploadProgress => ({
  phase: 'checking',
  fileName: file.name,
  bytes: file.size,
  share: 0,
  id: null,
  message: null,
});

/** The ones of this page. */
export const uploads = new Uploads();
