import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WRITER = fileURLToPath(new URL('../../deploy/write-secrets.mjs', import.meta.url));

/** A folder of secrets made by `init`. Needs the build of libs/platform. */
export class WrittenSecrets {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-secrets-'));

  /** Writes the secrets; repeatable. @param volumes that it hands over @returns the script's output */
  write(SLIPWAY_ENV = '', volumes: readonly string[] = []): string {
    const env = { PATH: process.env['PATH'], SLIPWAY_ENV };
    return execFileSync(process.execPath, [WRITER, this.folder, ...volumes], { env, encoding: 'utf8', stdio: 'pipe' });
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Paths of all files and folders. */
  paths(): string[] {
    return readdirSync(this.folder, { recursive: true }).map(String);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
