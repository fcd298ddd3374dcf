import type { DownloadMessage } from './download-messages.js';

type Failed = Extract<DownloadMessage, { k: 'failed' }>;

/** A download that did not succeed. The message is public. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly left: Failed['left'];
  /** Bytes of room that were missing. */
  readonly missing: number;

  constructor(
    message: string,
    { left = 'partial', missing = 0, cause }: { left?: Failed['left']; missing?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.left = left;
    this.missing = missing;
  }
}

const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/** @param left bytes that the model may take. */
export const noRoom = (total: number, left: number): DownloadError =>
  new DownloadError(
    `There is no room: the model takes ${gibibytes(total)}, and the model cache has ${gibibytes(Math.max(0, left))} left for it.`,
    {
      missing: Math.ceil(total - left),
    },
  );

/** A write that failed. A full disk troubles everything on this machine, so nothing of the model stays on it. */
export function writeFault(error: unknown): DownloadError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const why = full ? 'The disk of the model cache is full' : 'The model cache cannot be written';
  return new DownloadError(`${why} (${code}).`, { left: full ? 'nothing' : 'partial', cause: error });
}
