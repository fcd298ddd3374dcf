import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DEPLOY = new URL('../../deploy/', import.meta.url);
const COMMAND = fileURLToPath(new URL('write-secrets.mjs', DEPLOY));

interface SecretFolder {
  writeSecretFolder(folder: string, env: string, volumes: readonly string[]): Promise<void>;
}

/** A folder of secrets made by `init`. Needs the build of libs/platform. */
export class WrittenSecrets {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-secrets-'));

  /** Writes the secrets in this process; repeatable. */
  async write(env = 'dev', volumes: readonly string[] = []): Promise<void> {
    const { writeSecretFolder } = (await import(new URL('secret-folder.mjs', DEPLOY).href)) as SecretFolder;
    await writeSecretFolder(this.folder, env, volumes);
  }

  /** Writes them as the service `init` does, by the command. @returns its output */
  writeByCommand(SLIPWAY_ENV = ''): string {
    const env = { PATH: process.env['PATH'], SLIPWAY_ENV };
    return execFileSync(process.execPath, [COMMAND, this.folder], { env, encoding: 'utf8', stdio: 'pipe' });
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
