import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../cli-errors.js';

/** Bytes of one PATCH. */
const CHUNK = 16 * 1024 * 1024;
const TRIES = 3;
const RETRY_MS = 500;
const TUS = { 'tus-resumable': '1.0.0' } as const;

/** Size of a file. @throws CliError `not_readable` */
export async function sizeOf(path: string): Promise<number> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new CliError(
      'not_readable',
      `${path} cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'}.`,
      {},
      { cause },
    );
  });
  if (!facts.isFile()) throw new CliError('not_readable', `${path} is not a file.`);
  if (facts.size === 0) throw new CliError('not_readable', `${path} is empty.`);
  return facts.size;
}

/** Hex SHA-256 of a file. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function refusal(response: Response): Promise<CliError> {
  const text = (await response.text()).slice(0, 500).trim();
  return new CliError('upload_failed', `The console refused the upload with ${response.status}${text === '' ? '' : `: ${text}`}.`);
}

const isFinal = ({ status }: Response): boolean => status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;

async function offsetAt(url: string): Promise<number> {
  const response = await fetch(url, { method: 'HEAD', headers: TUS });
  if (!response.ok) throw await refusal(response);
  return Number(response.headers.get('upload-offset'));
}

async function sendChunk(url: string, file: FileHandle, from: number, size: number): Promise<void> {
  const body = new Uint8Array(Math.min(CHUNK, size - from));
  await file.read(body, 0, body.length, from);
  const headers = { ...TUS, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' };
  const response = await fetch(url, { method: 'PATCH', headers, body });
  if (response.ok) return;
  const error = await refusal(response);
  if (isFinal(response)) throw error;
  throw new Error(error.message);
}

/** Sends what is missing, in chunks. */
async function sendRest(
  url: string,
  { file, size }: { readonly file: FileHandle; readonly size: number },
  progress: (received: number) => void,
): Promise<void> {
  for (;;) {
    const offset = await offsetAt(url);
    progress(offset);
    if (offset >= size) return;
    await sendChunk(url, file, offset, size);
    if (offset + CHUNK >= size) return;
  }
}

/**
 * Sends a file to an open upload by the tus protocol, from where the upload is. A broken connection is retried from the offset that
 * the server has; it is given up after three failures without progress.
 * @param progress called with the bytes that are there
 * @throws CliError `upload_failed`
 */
export async function sendFile(url: string, path: string, progress: (received: number) => void): Promise<void> {
  const size = await sizeOf(path);
  const file = await open(path, 'r');
  let failures = 0;
  let reached = -1;
  const note = (received: number): void => {
    if (received > reached) failures = 0;
    reached = Math.max(reached, received);
    progress(received);
  };
  try {
    while (failures < TRIES) {
      const error = await sendRest(url, { file, size }, note).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error === null) return;
      if (error instanceof CliError) throw error;
      failures += 1;
      await delay(RETRY_MS * failures);
    }
  } finally {
    await file.close();
  }
  throw new CliError('upload_failed', 'The connection to the console broke off three times.');
}
