import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Pool } from 'pg';

/** A real PostgreSQL server. */
export interface TestPostgres {
  /** DATABASE_URL of the superuser. */
  readonly url: string;
  readonly pid: number;
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /**
   * Returns the address of a database that `prepare` filled, such as with migrations. `prepare` runs once per `template` name,
   * whichever process of a run asks first; every call gets its own copy, which takes about 50 ms. `prepare` must close its
   * connections, because PostgreSQL copies only unused databases.
   */
  cloneDatabase(template: string, prepare: (url: string) => Promise<unknown>): Promise<string>;
  /** Stops the server at once and removes its files; on a shared server, drops this user's databases. Repeating it is harmless. */
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

// No data must survive a crash, and every test waits for its commits. `npm start` does without I/O workers, too. Databases that live
// for seconds need no vacuum, whose workers would visit each of them.
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '500',
  io_method: 'sync',
  autovacuum: 'off',
};

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Executes one statement. */
type Execute = (statement: string) => Promise<unknown>;

const onNewConnection =
  (url: string): Execute =>
  async (statement) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };

/**
 * Executes on one connection, which stays open until the server or this process ends. A connection that has created a database
 * before creates the next one with half the CPU time.
 */
function onKeptConnection(url: string): Execute {
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // Of an idle connection; the next statement gets a new one.
  pool.on('error', () => undefined);
  return (statement) => pool.query(statement);
}

/** Variable in which `sharePostgres` publishes the shared server. */
const SHARED = 'SLIPWAY_TEST_POSTGRES';

interface SharedServer {
  readonly url: string;
  readonly pid: number;
}

/** Linux's file system in memory. */
const MEMORY = '/dev/shm';
/** Containers have 64 MiB of it unless told otherwise; the databases of a run take a third of a gigabyte. */
const LEAST_MEMORY_BYTES = 2 * 1024 ** 3;

/**
 * The PostgreSQL that all test files of a run share, each with its own databases; outside of such a run a new server. A test that
 * changes the server itself, such as its roles or its end, uses `startOwnPostgres`.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const shared = process.env[SHARED];
  if (shared === undefined) return startOwnPostgres();
  const server = JSON.parse(shared) as SharedServer;
  executeShared ??= onKeptConnection(server.url);
  const databases = new Databases(server.url, `t${process.pid}_${(users += 1)}`, executeShared);
  return { ...server, ...databases.forTests(sharedTemplates), stop: () => databases.drop() };
}

/** Stops a server and removes its folder when its standard input closes: at the end of this process, also after a kill -9. */
const KEEPER = `const [pid, folder] = process.argv.slice(1);
process.stdin.on("close", () => {
  process.kill(Number(pid), "SIGQUIT");
  require("node:fs").rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}).resume()`;

/** Whether this run has a shared server: each of several projects of tests would start one. */
export const hasSharedPostgres = (): boolean => process.env[SHARED] !== undefined;

/** Starts the shared server of a test run and publishes it to later processes. @returns a function that stops it */
export async function sharePostgres(): Promise<() => Promise<void>> {
  const { url, pid, folder, stop } = await startServer((await hasMemoryFolder()) ? MEMORY : tmpdir());
  const keeper = spawn(process.execPath, ['-e', KEEPER, String(pid), folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  keeper.unref();
  process.env[SHARED] = JSON.stringify({ url, pid } satisfies SharedServer);
  return async () => {
    keeper.kill('SIGKILL');
    await stop();
  };
}

/** Whether files can be kept in memory, where creating a database takes less CPU time. */
async function hasMemoryFolder(): Promise<boolean> {
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    return bavail * bsize >= LEAST_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** Starts a server with its own data on a free port, in less than a second. It ends with this process. */
export async function startOwnPostgres(): Promise<TestPostgres> {
  const { folder: _, ...server } = await startServer(tmpdir());
  return { ...server, ...new Databases(server.url, 'test', onNewConnection(server.url)).forTests(new Map()) };
}

/** @param parent where a folder for its data is made */
async function startServer(parent: string): Promise<RunningServer> {
  const script = (await import(new URL('scripts/lib/postgres.mjs', REPOSITORY).href)) as PostgresScript;
  const dataDir = await mkdtemp(join(parent, 'slipway-postgres-'));
  // Under root the server runs as another user, who must be able to enter the folder.
  await chmod(dataDir, 0o711);
  const server = await script.startPostgres({ root: fileURLToPath(REPOSITORY), dataDir, settings: SETTINGS });
  const killServer = (): boolean => process.kill(server.pid, 'SIGQUIT');
  process.once('exit', killServer);
  return {
    url: server.url,
    pid: server.pid,
    folder: dataDir,
    async stop() {
      process.off('exit', killServer);
      await server.stop();
      for (const folder of [server.folder, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Templates that this process knows on the shared server; they stay until its end. */
type Templates = Map<string, Promise<string>>;
const sharedTemplates: Templates = new Map();
let executeShared: Execute | undefined;
let users = 0;

/** The databases of one user of a server. */
class Databases {
  readonly #made: string[] = [];

  constructor(
    private readonly server: string,
    private readonly prefix: string,
    private readonly execute: Execute,
  ) {}

  forTests(templates: Templates): Pick<TestPostgres, 'createDatabase' | 'cloneDatabase'> {
    return {
      createDatabase: async () => databaseUrl(this.server, await this.#create()),
      cloneDatabase: async (template, prepare) => {
        const source = templates.get(template) ?? this.#prepared(template, prepare);
        templates.set(template, source);
        return databaseUrl(this.server, await this.#create(await source));
      },
    };
  }

  /** Drops the created databases, even with open connections. */
  async drop(): Promise<void> {
    for (const name of this.#made.splice(0)) await this.execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async #create(template?: string): Promise<string> {
    const name = `${this.prefix}_${this.#made.length + 1}`;
    this.#made.push(name);
    // STRATEGY file_copy costs less in memory, but a service that made its database beside such copies hung in two of four whole runs.
    await this.execute(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template} STRATEGY wal_log`}`);
    return name;
  }

  /** Another process of the run may have prepared it, or be about to. */
  async #prepared(template: string, prepare: (url: string) => Promise<unknown>): Promise<string> {
    const name = `prepared_${template}`;
    const client = new Client({ connectionString: this.server });
    await client.connect();
    try {
      await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
      const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
      if (found.rowCount !== 0) return name;
      // It gets its name once it is complete.
      const begun = `${name}_begun`;
      await client.query(`DROP DATABASE IF EXISTS ${begun} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${begun}`);
      await prepare(databaseUrl(this.server, begun));
      await client.query(`ALTER DATABASE ${begun} RENAME TO ${name}`);
      return name;
    } finally {
      await client.end();
    }
  }
}
