import type { AdapterId, AdapterImportView, ConsoleRequest, UploadId } from '@slipway/contracts';
import { ConsoleError } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { UploadError, uploadFile } from '../data-sets/upload/tus.js';
import { formatPercent } from '../format/number.js';

/** Between two looks at an adapter that is being checked, in milliseconds. */
const LOOK_EVERY_MS = 700;

/** How far an import is. `share`: of the bytes, null once they are there. */
export interface ImportProgress {
  readonly share: number | null;
  readonly text: string;
}

interface ImportOptions {
  readonly request: ConsoleRequest<'adapters/import'>;
  readonly file: File;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

/** An import in a sentence. */
export function importText({ state, detail }: Pick<AdapterImportView, 'state' | 'detail'>): string {
  if (state === 'waiting') return detail ?? 'Waiting for a training worker.';
  if (state === 'checking') return 'A training worker checks it on its base.';
  return detail ?? (state === 'cancelled' ? 'The upload was cancelled.' : 'The adapter was not imported.');
}

/**
 * Sends the file of an adapter and waits until it was checked. It goes on by itself once the bytes are there.
 * @returns the adapter's number
 * @throws ConsoleError with the reason
 */
export async function importAdapter({ request, file, signal, onProgress }: ImportOptions): Promise<AdapterId> {
  const { sha256Of } = await import('../data-sets/upload/file-hash.js');
  const sha256 = await sha256Of(file, signal, (share) => onProgress({ share, text: 'Reading' }));
  const { upload, path } = await call(
    'adapters/import',
    { ...request, bytes: file.size, file_name: file.name.slice(0, 255), sha256 },
    signal,
  );
  const sent = (bytes: number): number => (file.size === 0 ? 1 : bytes / file.size);
  const show = (bytes: number): void => onProgress({ share: sent(bytes), text: `Uploading: ${formatPercent(sent(bytes))}` });
  await uploadFile({ path, file, signal, onProgress: show }).catch((error: unknown) => {
    throw error instanceof UploadError ? new ConsoleError('upload_failed', error.message) : error;
  });
  return checked(upload, signal, onProgress);
}

async function checked(upload: UploadId, signal: AbortSignal, onProgress: ImportOptions['onProgress']): Promise<AdapterId> {
  for (;;) {
    const { import: seen } = await call('adapters/find-import', { upload }, signal);
    if (seen.adapter !== null) return seen.adapter;
    if (seen.state === 'failed' || seen.state === 'cancelled') throw new ConsoleError('import_failed', importText(seen));
    onProgress({ share: null, text: seen.state === 'uploading' ? 'Storing' : importText(seen) });
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
}
