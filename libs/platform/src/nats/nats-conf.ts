import { permissionsOf, PLAIN_ROLES, type PlainRole, VALUE_STORES } from '@slipway/contracts';
import { type EnvironmentSeeds, environmentAccount, type NatsSeeds, operatorJwt, systemAccount } from './identities.js';

/** Membership of a nats-server in a cluster. All members share one user. */
export interface NatsCluster {
  readonly name: string;
  /** Listen address for the other members. */
  readonly host: string;
  readonly port: number;
  /**
   * `host:port` of every member. Where the name of this server is the first label of a host, the others are told to reach it there;
   * otherwise at its address, for which its certificate has to be.
   */
  readonly routes: readonly string[];
  readonly password: string;
}

/** Paths of a server's files for TLS, as the server sees them. Members of a cluster show each other the same certificate. */
export interface NatsServerTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** Whether clients must show a certificate that the authority signed. */
  readonly verify?: boolean | undefined;
}

type Passwords = Readonly<Record<PlainRole, string>>;

/** Inputs of a nats-server configuration. */
export interface NatsConfOptions {
  readonly env: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** Folder of JetStream's files. */
  readonly storeDir: string;
  /**
   * Users are created with signing keys, and each process of a worker has its own. The configuration names no user: permissions
   * change with a new configuration, while credentials stay.
   */
  readonly seeds?: NatsSeeds | undefined;
  /** Instead of `seeds`: one user with a password per role. All workers then share the user `worker` and can read each other's messages. */
  readonly passwords?: Passwords | undefined;
  /**
   * Further environments on the server, with seeds or passwords like the first one. Their users with passwords are named
   * `<env>-<role>`, because names are unique per server.
   */
  readonly neighbours?:
    | readonly { readonly env: string; readonly seeds?: EnvironmentSeeds | undefined; readonly passwords?: Passwords | undefined }[]
    | undefined;
  /** Password of the system account's user, together with `passwords`; absent = no such user. */
  readonly systemPassword?: string | undefined;
  /** Absent = a single server. The server announces no members to clients, which have all addresses in their configuration. */
  readonly cluster?: NatsCluster | undefined;
  /** Absent = connections of clients and members are not encrypted. */
  readonly tls?: NatsServerTls | undefined;
  /** Address of the HTTP monitor, such as `127.0.0.1:8222`; absent = none. It requires no password. */
  readonly monitor?: string | undefined;
  /** Further top-level lines. */
  readonly extra?: string | undefined;
}

const MIB = 1024 * 1024;
/** JetStream's memory for each environment, in MiB: its value stores, which are empty at first, and what the server needs besides. */
const MEMORY_MB = 128 + VALUE_STORES.reduce((sum, { bytesMax }) => sum + bytesMax / MIB, 0);

const list = (subjects: readonly string[]): string => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

function user(role: PlainRole, env: string, { name, password }: { name: string; password: string }): string {
  const { publish, subscribe } = permissionsOf(role, env);
  return `      { user: ${JSON.stringify(name)}, password: ${JSON.stringify(password)}, permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      } }`;
}

function accountBlock(env: string, passwords: Passwords, nameOf: (role: PlainRole) => string): string {
  return `  "${env.toUpperCase()}": {
    jetstream: enabled
    users: [
${PLAIN_ROLES.map((role) => user(role, env, { name: nameOf(role), password: passwords[role] })).join('\n')}
    ]
  }`;
}

const ROUTE_USER = 'route';

/** Time for a handshake, in seconds: a busy machine needs more than the usual two. */
const HANDSHAKE_S = 5;

const tlsBlock = ({ ca, cert, key }: NatsServerTls, verify: boolean): string =>
  `tls { cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}, ca_file: ${JSON.stringify(ca)}, verify: ${verify}, timeout: ${HANDSHAKE_S} }\n`;

function clusterBlock({ name, host, port, routes, password }: NatsCluster, { serverName, tls }: NatsConfOptions): string {
  const login = `${ROUTE_USER}:${encodeURIComponent(password)}`;
  // Members tell each other where the third one is. An address is in no certificate, and nats-server tries it again, some twenty
  // times a second, though it has a route by the name.
  const own = routes.find((route) => route.split(/[.:]/, 1)[0] === serverName);
  return `cluster {
  name: ${JSON.stringify(name)}
  listen: ${JSON.stringify(`${host}:${port}`)}
  authorization { user: ${ROUTE_USER}, password: ${JSON.stringify(password)} }
  routes: ${list(routes.map((route) => `nats-route://${login}@${route}`))}
${own === undefined ? '' : `  advertise: ${JSON.stringify(own)}\n`}  no_advertise: true
${tls ? `  ${tlsBlock(tls, true)}` : ''}}
`;
}

/** Accounts whose users have passwords, each with its permissions. */
function passwordAccounts({ env, passwords, neighbours = [], systemPassword }: NatsConfOptions): string {
  const known = (of: string, given: Passwords | undefined): Passwords => {
    if (!given) throw new TypeError(`No passwords are given for the environment "${of}".`);
    return given;
  };
  const accounts = [
    accountBlock(env, known(env, passwords), (role) => role),
    ...neighbours.map((other) => accountBlock(other.env, known(other.env, other.passwords), (role) => `${other.env}-${role}`)),
  ];
  const system = systemPassword === undefined ? '' : `{ user: sys, password: ${JSON.stringify(systemPassword)} }`;
  return `accounts {
${accounts.join('\n')}
  SYS: { users: [ ${system} ] }
}
system_account: SYS
`;
}

/** Accounts signed by the operator, each with one signing key and permissions per role. */
function signedAccounts(env: string, seeds: NatsSeeds, neighbours: NatsConfOptions['neighbours'] = []): string {
  const others = neighbours.map((other) => {
    if (!other.seeds) throw new TypeError(`No seeds are given for the environment "${other.env}".`);
    return [other.env.toUpperCase(), ...environmentAccount(other.env, other.seeds, seeds.operator)] as const;
  });
  const system = systemAccount(seeds);
  const own = [env.toUpperCase(), ...environmentAccount(env, seeds, seeds.operator)] as const;
  const accounts = [own, ...others, ['SYS', ...system] as const];
  return `operator: ${JSON.stringify(operatorJwt(seeds))}
resolver: MEMORY
resolver_preload {
${accounts.map(([name, key, jwt]) => `  # ${name}\n  ${key}: ${JSON.stringify(jwt)}`).join('\n')}
}
system_account: ${system[0]}
`;
}

/**
 * Renders the configuration of a nats-server: an account per environment with the permissions of each role, derived from the
 * contracts. Permissions are inline because nats-server does not accept them as variables.
 * @throws TypeError when an environment lacks the seeds or passwords that the first one has
 */
export function renderNatsConf(options: NatsConfOptions): string {
  const { env, host, port, serverName, storeDir, seeds, neighbours, cluster, monitor, tls, extra } = options;
  const further = [
    tls && tlsBlock(tls, tls.verify === true),
    cluster && clusterBlock(cluster, options),
    monitor !== undefined && `http: ${JSON.stringify(monitor)}\n`,
    extra,
  ];
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
jetstream { store_dir: ${JSON.stringify(storeDir)}, max_mem: ${MEMORY_MB * (1 + (neighbours?.length ?? 0))}MB, max_file: ${1 + (neighbours?.length ?? 0)}GB }
${further.filter(Boolean).join('')}
${seeds ? signedAccounts(env, seeds, neighbours) : passwordAccounts(options)}`;
}
