import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES, type Role } from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, nuid, renderNatsConf } from '@slipway/platform';
import { freePorts, TestNatsServer } from '@slipway/testing';

export const ENV = 'test';

/** NATS servers with the permissions of production, and connections to them. */
export class Bus {
  readonly #connections: NatsConnection[] = [];

  private constructor(
    readonly servers: readonly TestNatsServer[],
    /** One file with a password for each role. */
    readonly credentialsDir: string,
  ) {}

  /** @param size number of servers, which form one cluster if there are several. */
  static async start(size = 1): Promise<Bus> {
    const credentialsDir = await mkdtemp(join(tmpdir(), 'slipway-bus-'));
    const passwords = Object.fromEntries(ROLES.map((role) => [role, nuid.next()])) as Record<Role, string>;
    for (const role of ROLES) {
      await writeFile(join(credentialsDir, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
    }
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
          passwords,
          ...(size > 1 && { cluster }),
        });
        return TestNatsServer.start({ port, config });
      }),
    );
    return new Bus(servers, credentialsDir);
  }

  /** Addresses of all servers, separated by commas. */
  get url(): string {
    return this.servers.map(({ url }) => url).join(',');
  }

  async connect(role: Role): Promise<NatsConnection> {
    const log = createLogger('test', 'silent');
    const nats = await connectNats({ url: this.url, role, credentialsDir: this.credentialsDir, name: `test ${role}`, log });
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
