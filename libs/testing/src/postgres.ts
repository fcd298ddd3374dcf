import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

/** A real PostgreSQL server for one test file. */
export interface TestPostgres {
  /** DATABASE_URL of the superuser. */
  readonly url: string;
  readonly pid: number;
  /** Makes an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /**
   * Returns the address of a database that `prepare` filled, such as with migrations. It runs once for
   * each `template` name; every call gets a copy of its own, which takes some 50 ms.
   * `prepare` must close its connections: PostgreSQL copies only what nobody uses.
   */
  cloneDatabase(template: string, prepare: (url: string) => Promise<unknown>): Promise<string>;
  /** Ends the server at once, open connections included, and removes its files. Repeating it is harmless. */
  stop(): Promise<void>;
}

interface RunningServer {
  readonly url: string;
  readonly pid: number;
  readonly folder: string;
  stop(): Promise<void>;
}

interface PostgresScript {
  startPostgres(options: { root: string; dataDir: string; settings: Record<string, string> }): Promise<RunningServer>;
}

const REPOSITORY = new URL('../../../', import.meta.url);

// Nothing here has to survive a crash, and every test waits for its commits.
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Starts a server with data of its own on a free port; takes less than a second. It dies with this process. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const script = (await import(new URL('scripts/lib/postgres.mjs', REPOSITORY).href)) as PostgresScript;
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-postgres-'));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(dataDir, 0o711);
  const server = await script.startPostgres({ root: fileURLToPath(REPOSITORY), dataDir, settings: SETTINGS });
  const killServer = (): boolean => process.kill(server.pid, 'SIGQUIT');
  process.once('exit', killServer);

  const templates = new Map<string, Promise<string>>();
  let made = 0;
  const create = async (template?: string): Promise<string> => {
    made += 1;
    const name = `test_${made}`;
    await execute(server.url, `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template} STRATEGY wal_log`}`);
    return name;
  };
  const prepared = async (prepare: (url: string) => Promise<unknown>): Promise<string> => {
    const name = await create();
    await prepare(databaseUrl(server.url, name));
    return name;
  };

  return {
    url: server.url,
    pid: server.pid,
    createDatabase: async () => databaseUrl(server.url, await create()),
    async cloneDatabase(template, prepare) {
      const source = templates.get(template) ?? prepared(prepare);
      templates.set(template, source);
      return databaseUrl(server.url, await create(await source));
    },
    async stop() {
      process.off('exit', killServer);
      await server.stop();
      for (const folder of [server.folder, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}
