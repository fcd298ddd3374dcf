import { DownloadError } from './download-error.js';
import { type DownloadMessage, DownloadOrder } from './download-messages.js';
import { DownloadSession } from './download-session.js';
import { ForbiddenHostError } from './guarded-fetch.js';

/** Length of a public detail. */
const DETAIL_CHARS = 400;
const REPORT_EVERY_MS = 250;
/** Files of one model; a name can claim any number of them. */
const MAX_PARTS = 200;
/** Time to write down what has arrived, when the agent is gone or wants no more. */
const STOP_WITHIN_MS = 5_000;

// Open sockets keep a process alive for which there is nothing left to do.
// oxlint-disable-next-line unicorn/no-process-exit
const exit = (): never => process.exit(1);

const send = (message: DownloadMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** The newest progress is told even when nothing follows it for long. */
function reporter(): (progress: number) => void {
  let newest = 0;
  let told = 0;
  setInterval(() => {
    if (newest === told) return;
    told = newest;
    send({ k: 'progress', progress: newest });
  }, REPORT_EVERY_MS);
  return (progress) => (newest = progress);
}

function assertSensible({ uri }: DownloadOrder): void {
  const refuse = (message: string): never => {
    throw new DownloadError(message, { left: 'nothing' });
  };
  if (!/^(https:\/\/|hf:)/.test(uri)) refuse('A model must be named by an https URL or an hf: URI.');
  const parts = /-\d{5}-of-(\d{5})\.gguf|\.part\d+of(\d+)/.exec(uri);
  if (Number(parts?.[1] ?? parts?.[2] ?? 1) > MAX_PARTS) refuse(`A model may have at most ${MAX_PARTS} parts.`);
}

async function obey(order: DownloadOrder): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- the names that the hub's own tools read; the agent hands its environment on
  const session = new DownloadSession(order, reporter(), process.env);
  const leave = (): void => {
    setTimeout(exit, STOP_WITHIN_MS);
    void session.stop().finally(exit);
  };
  process.on('disconnect', leave);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, leave);
  // A limit on file sizes shall be a failed write, not the end of the process.
  process.on('SIGXFSZ', () => undefined);
  try {
    assertSensible(order);
    send({ k: 'done', model: await session.run() });
  } catch (error) {
    await session.stop();
    const { left, missing } = error instanceof DownloadError ? error : { left: 'partial' as const, missing: 0 };
    send({ k: 'failed', detail: describe(error).slice(0, DETAIL_CHARS), left, missing });
  }
}

/** What went wrong, without the query of an address: it may hold a signature. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const ours = error instanceof DownloadError || error instanceof ForbiddenHostError;
  return ours ? text : `The model could not be downloaded: ${text.replace(/\?[^\s"']*/g, '')}`;
}

process.once('message', (raw) => void obey(DownloadOrder.parse(raw)));
if (!process.connected) exit();
