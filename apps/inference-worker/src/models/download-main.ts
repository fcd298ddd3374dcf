import { downloadModel } from '../engines/download-model.js';
import { type DownloadMessage, DownloadOrder } from './download-messages.js';
import { ForbiddenHostError, guardedFetch } from './guarded-fetch.js';
import { HostList } from './host-list.js';

/** Length of a public detail. */
const DETAIL_CHARS = 400;
const REPORT_EVERY_MS = 250;

const send = (message: DownloadMessage): void => {
  if (process.connected) process.send?.(message);
};

let forbidden: (error: ForbiddenHostError) => void = () => undefined;
const refusal = new Promise<never>((_, reject) => (forbidden = reject));

// Every request of this process is checked from here on. The library repeats failed ones for long, but a forbidden one never succeeds.
function download(order: DownloadOrder): Promise<string> {
  const guarded = guardedFetch(globalThis.fetch, new HostList(order.hosts));
  globalThis.fetch = async (input, init) => {
    try {
      return await guarded(input, init);
    } catch (error) {
      if (error instanceof ForbiddenHostError) forbidden(error);
      throw error;
    }
  };
  return downloadModel({ uri: order.uri, folder: order.folder, onProgress: reporter() });
}

function reporter(): (progress: number) => void {
  let reported = 0;
  return (progress) => {
    if (performance.now() - reported < REPORT_EVERY_MS) return;
    reported = performance.now();
    send({ k: 'progress', progress });
  };
}

async function obey(raw: unknown): Promise<void> {
  const order = DownloadOrder.parse(raw);
  if (!/^(https:\/\/|hf:)/.test(order.uri)) return send({ k: 'failed', detail: 'A model must be named by an https URL or an hf: URI.' });
  try {
    send({ k: 'done', file: await Promise.race([refusal, download(order)]) });
  } catch (error) {
    send({ k: 'failed', detail: describe(error).slice(0, DETAIL_CHARS) });
  }
  return undefined;
}

/** What went wrong, without the query of an address: it may hold a signature. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return `The model could not be downloaded: ${text.replace(/\?[^\s"']*/g, '')}`;
}

process.once('message', (raw) => void obey(raw));
process.once('disconnect', () => process.exit(1));
