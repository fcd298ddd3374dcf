import { type ChildProcess, fork } from 'node:child_process';
import { DownloadError, publicDetail } from './download-error.js';
import { type DownloadedModel, DownloadMessage, type DownloadOrder } from './download-messages.js';
import { DownloadSession } from './download-session.js';

const DOWNLOAD_MAIN = new URL('./download-main.js', import.meta.url);
/** Time for a suspended process to save its state. */
const LEAVE_WITHIN_MS = 6_000;

/** Progress and cancellation of a download. */
export interface DownloadWatch {
  readonly onProgress: (progress: number) => void;
  /** Aborts to cancel the download. */
  readonly abandoned: AbortSignal;
  /** Aborts to stop it so that another process can continue it. */
  readonly suspended: AbortSignal;
}

/**
 * Downloads in a child process. The child has ended when this settles, and ends by itself when this process dies.
 * @throws DownloadError, also after an abort.
 */
export async function runDownload(order: DownloadOrder, { onProgress, abandoned, suspended }: DownloadWatch): Promise<DownloadedModel> {
  const child: ChildProcess = fork(DOWNLOAD_MAIN, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.on('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  const kill = (): boolean => child.kill('SIGKILL');
  let overdue: NodeJS.Timeout | undefined;
  const letGo = (): void => {
    if (child.connected) child.disconnect();
    overdue ??= setTimeout(kill, LEAVE_WITHIN_MS);
  };
  if (abandoned.aborted) kill();
  abandoned.addEventListener('abort', kill, { once: true });
  suspended.addEventListener('abort', letGo, { once: true });
  try {
    return await outcomeOf(child, order, onProgress, ended);
  } finally {
    abandoned.removeEventListener('abort', kill);
    suspended.removeEventListener('abort', letGo);
    // A finished child is killed; a suspended one gets time to save its state.
    if (!suspended.aborted) kill();
    await ended;
    clearTimeout(overdue);
  }
}

async function outcomeOf(
  child: ChildProcess,
  order: DownloadOrder,
  onProgress: (progress: number) => void,
  ended: Promise<void>,
): Promise<DownloadedModel> {
  return new Promise((resolve, reject) => {
    child.on('message', (raw) => {
      const message = DownloadMessage.safeParse(raw).data;
      if (message?.k === 'progress') onProgress(message.progress);
      if (message?.k === 'done') resolve(message.model);
      if (message?.k === 'failed') reject(new DownloadError(message.detail, message));
    });
    void ended.then(() => reject(new DownloadError('The download process ended before the model was complete.')));
    child.send(order, () => undefined);
  });
}

/**
 * Downloads in this process, for files that are small beside models: a process takes longer to start than an adapter to come.
 * @throws DownloadError, also after an abort.
 */
export async function downloadHere(
  order: DownloadOrder,
  { onProgress, abandoned, suspended }: DownloadWatch,
  doorFetch?: typeof fetch,
): Promise<DownloadedModel> {
  const session = new DownloadSession(order, onProgress, {}, doorFetch);
  const stop = (): void => void session.stop();
  const signals = [abandoned, suspended];
  for (const signal of signals) signal.addEventListener('abort', stop, { once: true });
  try {
    if (signals.some(({ aborted }) => aborted)) throw new DownloadError('The download was stopped.');
    return await session.run();
  } catch (error) {
    await session.stop();
    throw error instanceof DownloadError ? error : new DownloadError(publicDetail(error), { cause: error });
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
  }
}
