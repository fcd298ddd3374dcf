import { permissionsOf, ROLES, type Role } from '@slipway/contracts';

export interface NatsConfOptions {
  readonly env: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** Folder of JetStream's files. */
  readonly storeDir: string;
  readonly passwords: Readonly<Record<Role, string>>;
  /** Password of the system account's user; absent = no user of it. */
  readonly systemPassword?: string | undefined;
  /** More lines at the top level, such as a `cluster { … }` block. */
  readonly extra?: string | undefined;
}

const list = (subjects: readonly string[]): string => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;

function user(role: Role, env: string, password: string): string {
  const { publish, subscribe } = permissionsOf(role, env);
  return `      { user: ${role}, password: ${JSON.stringify(password)}, permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      } }`;
}

/**
 * Writes the configuration of a nats-server that serves one environment: one account, one user per
 * role, and permissions derived from the contracts. Written inline because nats-server 2.9 refuses
 * permission maps as variables.
 */
export function renderNatsConf({ env, host, port, serverName, storeDir, passwords, systemPassword, extra }: NatsConfOptions): string {
  const account = env.toUpperCase();
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
jetstream { store_dir: ${JSON.stringify(storeDir)}, max_mem: 128MB, max_file: 1GB }
${extra ?? ''}
accounts {
  "${account}": {
    jetstream: enabled
    users: [
${ROLES.map((role) => user(role, env, passwords[role])).join('\n')}
    ]
  }
  SYS: { users: [ ${system} ] }
}
system_account: SYS
`;
}
