import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What came of a file that was generated and validated in a process of its own. */
export interface GeneratedFile {
  readonly state: string;
  readonly reason: string | null;
  readonly examples: number;
  readonly rejected: number;
  /** The sink got as many bytes as the result says. */
  readonly canonical: boolean;
  /** Messages of the first three issues. */
  readonly issues: string[];
  /** Peak of resident memory in MiB. */
  readonly peakMb: number;
  readonly cpuSeconds: number;
}

/** As `libs/datasets/README.md` wants it of threads: Node's default lets 50 MB of garbage stand. */
const YOUNG_GENERATION = ['--max-semi-space-size=4'];

/** Validates a generated file of a kind that `validate-generated.mjs` knows. */
export async function validateGenerated(kind: string, size: number): Promise<GeneratedFile> {
  const script = fileURLToPath(new URL('validate-generated.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...YOUNG_GENERATION, script, kind, String(size)]);
  return JSON.parse(stdout) as GeneratedFile;
}
