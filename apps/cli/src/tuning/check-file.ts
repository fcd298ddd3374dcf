import { createReadStream } from 'node:fs';
import type { DatasetFormat, DatasetRepair } from '@slipway/contracts';
import { type ValidationResult, validateDataset } from '@slipway/datasets';
import { CliError } from '../cli-errors.js';
import type { Terminal } from '../terminal.js';

/** How a file is read. */
export interface FileReading {
  readonly format?: DatasetFormat;
  readonly repairs?: readonly DatasetRepair[];
}

const SHOWN_ISSUES = 10;

/** Problems for people: the first ones with their lines, and how often each rule applied. */
function problemsText({ issues, totals }: Pick<ValidationResult, 'issues' | 'totals'>): string {
  const first = issues.slice(0, SHOWN_ISSUES).map(({ severity, message }) => `  ${severity === 'error' ? 'E' : 'W'}  ${message}`);
  const counts = totals.map(({ rule, count }) => `${rule} ${count}`).join(', ');
  return [...first, ...(counts === '' ? [] : [`  in all: ${counts}`])].join('\n');
}

/**
 * Checks a file by the rules that the server applies, before any of it is sent.
 * @throws CliError `dataset_invalid` with the problems
 */
export async function checkFile(path: string, reading: FileReading, terminal: Terminal): Promise<ValidationResult> {
  const result = await validateDataset(createReadStream(path, { highWaterMark: 1 << 20 }), reading, {
    progress: ({ lines }) => terminal.status(`checking: ${lines} lines`),
  });
  terminal.clearStatus();
  if (result.state === 'ready') return result;
  const repairs =
    result.repairs.length === 0 ? '' : `\nWith ${result.repairs.map((repair) => `--repair ${repair}`).join(' ')} it can be used.`;
  throw new CliError('dataset_invalid', `${result.detail ?? 'The file cannot be used.'}\n${problemsText(result)}${repairs}`, {
    reason: result.reason ?? '',
    rejected: result.rejected,
  });
}
