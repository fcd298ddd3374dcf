import { type ChildProcess, fork } from 'node:child_process';
import { EngineLoadError } from '../engines/engine.js';
import { DownloadMessage, type DownloadOrder } from './download-messages.js';

const DOWNLOAD_MAIN = new URL('./download-main.js', import.meta.url);

/**
 * Downloads in a process of its own, which ends with this call, and by itself when this process dies.
 * @returns the name of the file to load.
 * @throws EngineLoadError `download_failed`, also after an abort.
 */
export function runDownload(order: DownloadOrder, onProgress: (progress: number) => void, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const child: ChildProcess = fork(DOWNLOAD_MAIN, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const end = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  return new Promise<string>((resolve, reject) => {
    const fail = (detail: string): void => reject(new EngineLoadError('download_failed', detail));
    child.on('message', (raw) => {
      const message = DownloadMessage.safeParse(raw).data;
      if (message?.k === 'progress') onProgress(message.progress);
      if (message?.k === 'done') resolve(message.file);
      if (message?.k === 'failed') fail(message.detail);
    });
    child.once('error', () => fail('The download process could not be started.'));
    child.once('exit', () => fail('The download process ended before the model was here.'));
    child.send(order);
  }).finally(() => {
    signal.removeEventListener('abort', end);
    end();
  });
}
