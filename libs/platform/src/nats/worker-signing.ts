import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.js';

const SigningFile = z.object({
  /** Public key of the environment's account. */
  account: z.string().startsWith('A'),
  /** Seeds of the signing keys of both scopes. */
  agent: z.string().startsWith('SA'),
  runner: z.string().startsWith('SA'),
});

/** Signing keys for the users of workers; null = workers share a user. */
export class WorkerSigning {
  constructor(readonly keys: z.infer<typeof SigningFile> | null) {}
}

/**
 * Reads `signing.json` of a credentials folder, as `workerSigning` writes it.
 * @throws ConfigError for an invalid file
 */
export async function readWorkerSigning(directory: string | undefined): Promise<WorkerSigning> {
  if (directory === undefined) return new WorkerSigning(null);
  let text: string;
  try {
    text = await readFile(join(directory, 'signing.json'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new WorkerSigning(null);
    throw error;
  }
  try {
    return new WorkerSigning(SigningFile.parse(JSON.parse(text)));
  } catch {
    throw new ConfigError(['NATS_CREDENTIALS_DIR: signing.json must hold "account", "agent" and "runner"']);
  }
}
