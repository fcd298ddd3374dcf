import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import type { DatasetIssue } from '@slipway/contracts';
import { validateDataset, type ValidationProgress } from '@slipway/datasets';
import { readStored, StagedWriter } from '../blobs/sealed-file.js';
import { recordsOf } from './example-index.js';
import type { ValidationMessage, ValidationTask } from './validation-messages.js';

/** Least time between two reports of progress, in milliseconds. */
const REPORT_MS = 250;

const { original, key, paths, options } = workerData as ValidationTask;
const say = (message: ValidationMessage): void => parentPort?.postMessage(message);
const bufferOf = (bytes: Uint8Array | null): Buffer | null => bytes && Buffer.from(bytes);

/** Checks one file and writes what comes of it. */
async function validate(): Promise<void> {
  const raw = (start: number, end: number): Readable =>
    end > start ? createReadStream(original.path, { start, end: end - 1, highWaterMark: 256 * 1024 }) : Readable.from([]);
  const [canonical, index, rejected] = await Promise.all(
    [paths.canonical, paths.index, paths.rejected].map((path) => StagedWriter.create(path, bufferOf(key))),
  );
  if (!canonical || !index || !rejected) throw new Error('A file of the validation could not be made.');
  let issues: DatasetIssue[] = [];
  let reportedAt = 0;
  const progress = (now: ValidationProgress): void => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    say({ kind: 'progress', progress: now, issues });
    issues = [];
  };
  const result = await validateDataset(readStored({ raw, key: bufferOf(original.key), bytes: original.bytes }), options, {
    batch: async (batch) => {
      await index.write(recordsOf(batch, canonical.bytes));
      await canonical.write(batch.bytes);
    },
    rejected: (lines) => rejected.write(lines),
    issue: (issue) => void issues.push(issue),
    progress,
  });
  const files = { canonical: await canonical.finish(), index: await index.finish() };
  const refused = rejected.bytes === 0 ? (await rejected.discard(), null) : await rejected.finish();
  say({ kind: 'done', result, files: { ...files, rejected: refused }, issues });
}

await validate().catch((error: unknown) => say({ kind: 'failed', message: String(error) }));
