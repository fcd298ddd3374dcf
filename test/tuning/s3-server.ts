import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithProcess, freePorts } from '@slipway/testing';
import { exitOf } from '../testing/exit-of.js';
import { until } from '../testing/until.js';

/** What clients of the server sign with. */
export const S3_KEYS = {
  AWS_ACCESS_KEY_ID: 'slipway',
  AWS_SECRET_ACCESS_KEY: 'slipway-secret-for-tests',
  AWS_REGION: 'us-east-1',
} as const;

/** `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`: a server that checks signatures and keeps files. */
function installedServer(): string | null {
  const name = process.env['VERSITYGW_BIN'] ?? 'versitygw';
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return name;
  } catch {
    return null;
  }
}

/** The program of the server; null where none is installed. */
export const S3_PROGRAM = installedServer();
/** For titles of what is skipped then. */
export const S3_NEEDED = 'versitygw is needed in PATH or as VERSITYGW_BIN';

/** A server of S3 with some buckets, in a folder of its own. */
export class S3Server {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-s3-'));
  #process: ChildProcess | undefined;
  #port = 0;

  static async open(...buckets: readonly string[]): Promise<S3Server> {
    const server = new S3Server();
    for (const bucket of buckets) mkdirSync(join(server.#folder, 'store', bucket), { recursive: true });
    [server.#port = 0] = await freePorts(1);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const access = ['--access', S3_KEYS.AWS_ACCESS_KEY_ID, '--secret', S3_KEYS.AWS_SECRET_ACCESS_KEY];
    const place = ['--port', `127.0.0.1:${this.#port}`, '--quiet', 'posix', join(this.#folder, 'store')];
    this.#process = spawn(S3_PROGRAM ?? '', [...access, ...place], { stdio: 'ignore' });
    endWithProcess(this.#process);
    await until('the server answers', () => fetch(this.url).catch(() => null));
  }

  async stop(): Promise<void> {
    if (!this.#process) return;
    this.#process.kill('SIGKILL');
    await exitOf(this.#process);
    this.#process = undefined;
  }

  /** Ends it and removes its files. */
  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Settings of a tuning-service that keeps its blobs there. @param place bucket and prefix */
  settings(place: string): Record<string, string> {
    return { BLOB_URL: `s3://${place}`, AWS_ENDPOINT_URL_S3: this.url.slice(0, -1), AWS_MAX_ATTEMPTS: '2', ...S3_KEYS };
  }

  /** Files of a bucket, without what the server keeps for itself. */
  async stored(bucket: string): Promise<string[]> {
    const found = await readdir(join(this.#folder, 'store', bucket), { recursive: true, withFileTypes: true });
    return found.filter((one) => one.isFile() && !one.parentPath.includes('.sgwtmp')).map(({ parentPath, name }) => join(parentPath, name));
  }
}
