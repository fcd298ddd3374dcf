import { permissionsOf, ROLES, type Role } from '@slipway/contracts';

/** Membership of a nats-server in a cluster. Members know each other by one common user. */
export interface NatsCluster {
  readonly name: string;
  /** Where this member listens for the others. */
  readonly host: string;
  readonly port: number;
  /** `host:port` of every member; its own may be among them. */
  readonly routes: readonly string[];
  readonly password: string;
}

export interface NatsConfOptions {
  readonly env: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** Folder of JetStream's files. */
  readonly storeDir: string;
  readonly passwords: Readonly<Record<Role, string>>;
  /** Environments that share the server. Their users are named `<env>-<role>`: a server knows each name once. */
  readonly neighbours?: readonly { readonly env: string; readonly passwords: Readonly<Record<Role, string>> }[] | undefined;
  /** Password of the system account's user; absent = no user of it. */
  readonly systemPassword?: string | undefined;
  /** Absent = a server by itself. Clients are then told of no other member: they get all addresses from their configuration. */
  readonly cluster?: NatsCluster | undefined;
  /** Address of the HTTP monitor, such as `127.0.0.1:8222`; absent = none. It asks for no password. */
  readonly monitor?: string | undefined;
  /** More lines at the top level. */
  readonly extra?: string | undefined;
}

const list = (subjects: readonly string[]): string => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

function user(role: Role, env: string, { name, password }: { name: string; password: string }): string {
  const { publish, subscribe } = permissionsOf(role, env);
  return `      { user: ${JSON.stringify(name)}, password: ${JSON.stringify(password)}, permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      } }`;
}

function accountBlock(env: string, passwords: Readonly<Record<Role, string>>, nameOf: (role: Role) => string): string {
  return `  "${env.toUpperCase()}": {
    jetstream: enabled
    users: [
${ROLES.map((role) => user(role, env, { name: nameOf(role), password: passwords[role] })).join('\n')}
    ]
  }`;
}

const ROUTE_USER = 'route';

function clusterBlock({ name, host, port, routes, password }: NatsCluster): string {
  const login = `${ROUTE_USER}:${encodeURIComponent(password)}`;
  return `cluster {
  name: ${JSON.stringify(name)}
  listen: ${JSON.stringify(`${host}:${port}`)}
  authorization { user: ${ROUTE_USER}, password: ${JSON.stringify(password)} }
  routes: ${list(routes.map((route) => `nats-route://${login}@${route}`))}
  no_advertise: true
}
`;
}

/**
 * Writes the configuration of a nats-server: an account for each environment, one user per
 * role, and permissions derived from the contracts. Written inline because nats-server 2.9 refuses
 * permission maps as variables.
 */
export function renderNatsConf(options: NatsConfOptions): string {
  const { env, host, port, serverName, storeDir, passwords, systemPassword, cluster, monitor, extra } = options;
  const others = options.neighbours ?? [];
  const accounts = [
    accountBlock(env, passwords, (role) => role),
    ...others.map((other) => accountBlock(other.env, other.passwords, (role) => `${other.env}-${role}`)),
  ];
  const further = [cluster && clusterBlock(cluster), monitor !== undefined && `http: ${JSON.stringify(monitor)}\n`, extra];
  const system = systemPassword === undefined ? '' : `{ user: sys, password: ${JSON.stringify(systemPassword)} }`;
  return `# Generated from the message contracts; changes here are lost.
host: ${JSON.stringify(host)}
port: ${port}
server_name: ${JSON.stringify(serverName)}
max_payload: 1MB
max_pending: 16MB
write_deadline: "2s"
ping_interval: "5s"
ping_max: 2
lame_duck_duration: "30s"
lame_duck_grace_period: "2s"
jetstream { store_dir: ${JSON.stringify(storeDir)}, max_mem: 128MB, max_file: ${accounts.length}GB }
${further.filter(Boolean).join('')}
accounts {
${accounts.join('\n')}
  SYS: { users: [ ${system} ] }
}
system_account: SYS
`;
}
