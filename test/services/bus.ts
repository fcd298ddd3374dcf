import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLAIN_ROLES, type PlainRole, type Role, SCOPED_ROLES } from '@slipway/contracts';
import {
  completeSeeds,
  connectNats,
  createLogger,
  type NatsConnection,
  nuid,
  renderNatsConf,
  roleCredentials,
  workerSigning,
} from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';

export const ENV = 'test';

/** Files of TLS: of the servers, and of everything that connects to them. */
export interface BusTls {
  readonly server: NonNullable<Parameters<typeof renderNatsConf>[0]['tls']>;
  readonly client: { readonly ca: string; readonly cert: string; readonly key: string };
}

type Users = Pick<Parameters<typeof renderNatsConf>[0], 'seeds' | 'passwords'>;

/** One user with a password for each role: all workers share theirs. */
async function plainUsers(folder: string): Promise<Users> {
  const passwords = Object.fromEntries(PLAIN_ROLES.map((role) => [role, nuid.next()])) as Record<PlainRole, string>;
  for (const role of PLAIN_ROLES) await writeFile(join(folder, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
  return { passwords };
}

/** Users made by signing keys: each process of a worker asks keys-service for its own. */
async function namedUsers(folder: string): Promise<Users> {
  const seeds = completeSeeds();
  for (const role of SCOPED_ROLES) await writeFile(join(folder, `${role}.creds`), roleCredentials(role, seeds));
  await writeFile(join(folder, 'signing.json'), workerSigning(seeds));
  return { seeds };
}

/** NATS servers with the permissions of production, and connections to them. */
export class Bus {
  readonly #connections: NatsConnection[] = [];

  private constructor(
    readonly servers: readonly TestNatsServer[],
    /** One file for each role. */
    readonly credentialsDir: string,
    private readonly tls: BusTls | undefined,
    /** Where the servers of a cluster connect to each other. */
    readonly routes: readonly string[],
  ) {}

  /**
   * @param size number of servers, which form one cluster if there are several.
   * @param named Whether processes of workers have users of their own.
   * @param tls absent = nothing is encrypted
   */
  static async start(size = 1, named = false, tls?: BusTls): Promise<Bus> {
    const credentialsDir = await mkdtemp(join(tmpdir(), 'slipway-bus-'));
    const users = await (named ? namedUsers : plainUsers)(credentialsDir);
    const ports = await freePorts(2 * size);
    const host = '127.0.0.1';
    const routes = ports.slice(size).map((port) => `${host}:${port}`);
    const servers = await Promise.all(
      ports.slice(0, size).map((port, i) => {
        const cluster = { name: ENV, host, port: ports[size + i] ?? 0, routes, password: 'among-ourselves' };
        const storeDir = join(credentialsDir, `jetstream-${i}`);
        const config = renderNatsConf({
          env: ENV,
          host,
          port,
          serverName: `n${i}`,
          storeDir,
          ...users,
          ...(size > 1 && { cluster }),
          tls: tls?.server,
        });
        return TestNatsServer.start({ port, config });
      }),
    );
    return new Bus(servers, credentialsDir, tls, routes);
  }

  /** Addresses of all servers, separated by commas. */
  get url(): string {
    return this.servers.map(({ url }) => url).join(',');
  }

  /** Settings of a process that connects to an encrypted bus. */
  get tlsSettings(): Readonly<Record<string, string>> {
    return this.tls ? { NATS_CA: this.tls.client.ca, NATS_CERT: this.tls.client.cert, NATS_KEY: this.tls.client.key } : {};
  }

  async connect(role: Role): Promise<NatsConnection> {
    const log = createLogger('test', 'silent');
    const { url, credentialsDir } = this;
    const nats = await connectNats({ url, role, credentialsDir, tls: this.tls?.client, name: `test ${role}`, log });
    this.#connections.push(nats);
    return nats;
  }

  async end(): Promise<void> {
    for (const server of this.servers) server.thaw();
    await Promise.all(this.#connections.map((nats) => nats.close()));
    await Promise.all(this.servers.map((server) => server.end()));
    await rm(this.credentialsDir, { recursive: true, force: true });
  }
}
