import { DownloadError, publicDetail } from './download-error.js';
import { type DownloadMessage, DownloadOrder } from './download-messages.js';
import { DownloadSession } from './download-session.js';

const REPORT_EVERY_MS = 250;
/** Most files of one model: the count comes from the name, which may claim any number. */
const MAX_PARTS = 200;
/** Time to save the state after the agent has gone or stopped the download. */
const STOP_WITHIN_MS = 5_000;

// Open sockets would keep the finished process alive.
// oxlint-disable-next-line unicorn/no-process-exit
const exit = (): never => process.exit(1);

const send = (message: DownloadMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** Reports progress every 250 ms; the newest value is always sent. */
function reporter(): (progress: number) => void {
  let newest = 0;
  let reported = 0;
  setInterval(() => {
    if (newest === reported) return;
    reported = newest;
    send({ k: 'progress', progress: newest });
  }, REPORT_EVERY_MS);
  return (progress) => (newest = progress);
}

function assertSensible({ uri, address, sha256 }: DownloadOrder): void {
  const refuse = (message: string): never => {
    throw new DownloadError(message, { left: 'nothing' });
  };
  if (address !== null) return sha256 === null ? refuse('A file of another service is named by its checksum.') : undefined;
  if (!/^(https:\/\/|hf:)/.test(uri)) refuse('A model must be named by an https URL or an hf: URI.');
  const parts = /-\d{5}-of-(\d{5})\.gguf|\.part\d+of(\d+)/.exec(uri);
  if (Number(parts?.[1] ?? parts?.[2] ?? 1) > MAX_PARTS) refuse(`A model may have at most ${MAX_PARTS} parts.`);
}

async function download(order: DownloadOrder): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- the hub's own variables, inherited from the agent
  const session = new DownloadSession(order, reporter(), process.env);
  const leave = (): void => {
    setTimeout(exit, STOP_WITHIN_MS);
    void session.stop().finally(exit);
  };
  process.on('disconnect', leave);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, leave);
  // A file size limit must fail the write, not end the process.
  process.on('SIGXFSZ', () => undefined);
  try {
    assertSensible(order);
    send({ k: 'done', model: await session.run() });
  } catch (error) {
    await session.stop();
    const { left, missing } = error instanceof DownloadError ? error : { left: 'partial' as const, missing: 0 };
    send({ k: 'failed', detail: publicDetail(error), left, missing });
  }
}

process.once('message', (raw) => void download(DownloadOrder.parse(raw)));
if (!process.connected) exit();
