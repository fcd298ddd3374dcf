import type { DownloadMessage } from './download-messages.js';
import { ForbiddenHostError } from './guarded-fetch.js';

/** Longest public detail, in characters. */
const DETAIL_CHARS = 400;

type Failed = Extract<DownloadMessage, { k: 'failed' }>;

/** A failed download. The message is public. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  /** What to do with the bytes that have arrived; see `DownloadMessage`. */
  readonly left: Failed['left'];
  /** Bytes of missing disk space; 0 = space was not the reason. */
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

/** The model does not fit. @param total bytes of the model. @param left bytes that it may take. */
export const noRoom = (total: number, left: number): DownloadError =>
  new DownloadError(
    `There is no room: the model takes ${gibibytes(total)}, and the model cache has ${gibibytes(Math.max(0, left))} left for it.`,
    {
      missing: Math.ceil(total - left),
    },
  );

/** A failed write. After `disk full` nothing is kept, because a full disk harms every process of the machine. */
export function writeFault(error: unknown): DownloadError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const why = full ? 'The disk of the model cache is full' : 'The model cache cannot be written';
  return new DownloadError(`${why} (${code}).`, { left: full ? 'nothing' : 'partial', cause: error });
}

/** Message of an error without the query of a URL, which may hold a signature. */
export function publicDetail(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const ours = error instanceof DownloadError || error instanceof ForbiddenHostError;
  return (ours ? text : `The model could not be downloaded: ${text.replace(/\?[^\s"']*/g, '')}`).slice(0, DETAIL_CHARS);
}
