import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EnvironmentName, SCOPED_ROLES } from '@slipway/contracts';
import { CliError } from '../cli-errors.js';
import { type Call, command } from '../command.js';
import { checkedBy } from '../values.js';

/** Roles whose processes have a folder of credentials. Agents and runners get their users from keys-service. */
const ROLES = SCOPED_ROLES.filter((role) => role !== 'agent' && role !== 'runner');

interface Values {
  readonly name: string;
  readonly env: string;
  readonly seeds: string;
  readonly credentials?: string;
  readonly routes?: readonly string[];
  readonly storeDir: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly verify?: true;
}

type Platform = typeof import('@slipway/platform');
type Seeds = ReturnType<Platform['completeSeeds']>;

async function seedsAt(path: string, { completeSeeds }: Platform): Promise<Seeds> {
  let stored: Parameters<Platform['completeSeeds']>[0] = {};
  try {
    stored = JSON.parse(await readFile(path, 'utf8')) as typeof stored;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new CliError('not_readable', `${path} holds no seeds: restore it from a backup.`, {}, { cause: error });
    }
  }
  const seeds = completeSeeds(stored);
  await writeFile(path, `${JSON.stringify(seeds, null, 2)}\n`, { mode: 0o600 });
  return seeds;
}

async function writeCredentials(folder: string, seeds: Seeds, { roleCredentials, workerSigning }: Platform): Promise<void> {
  for (const role of ROLES) {
    await mkdir(join(folder, role), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, role, `${role}.creds`), roleCredentials(role, seeds), { mode: 0o600 });
  }
  await writeFile(join(folder, 'keys', 'signing.json'), workerSigning(seeds), { mode: 0o600 });
}

function tlsOf({ ca, cert, key, verify }: Values): { ca: string; cert: string; key: string; verify: boolean } | undefined {
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
  if (ca === undefined || cert === undefined || key === undefined) {
    throw new CliError('tls_incomplete', '--ca, --cert and --key belong together.');
  }
  return { ca, cert, key, verify: verify === true };
}

/** `npx slipway nats-conf`. */
export const natsConf = command(
  'nats-conf',
  'Prints the configuration of a nats-server, and writes the credentials of each role.',
  'Users are made from the seeds in one file, which stays the same for all nodes and releases. ROUTE_PASSWORD is the password between the nodes of a cluster.',
)
  .requiredOption('--name <NAME>', 'name of this node')
  .requiredOption('--seeds <FILE>', 'the seeds; made if it is not there. Who has it makes every credential')
  .option('--env <NAME>', 'the environment', checkedBy(EnvironmentName), 'dev')
  .option('--credentials <DIR>', 'writes a folder with the credentials of each role')
  .option('--routes <HOSTS>', 'host:port of every node of the cluster, with commas', (text: string) =>
    text.split(',').map((one) => one.trim()),
  )
  .option('--store-dir <DIR>', 'folder of JetStream, as the server sees it', '/data')
  .option('--ca <FILE>', 'TLS: certificates of the authority, as the server sees it')
  .option('--cert <FILE>', 'TLS: certificate of the server')
  .option('--key <FILE>', 'TLS: its key')
  .option('--verify', 'TLS: clients must have a certificate of the authority')
  .examples('nats-conf --name nats-1 --seeds nats-seeds.json --ca /tls/ca.pem --cert /tls/nats.pem --key /tls/nats.key > nats-1.conf')
  .local()
  .plans(({ options, cwd, variable }: Call<Values>) => {
    const tls = tlsOf(options);
    const password = variable('ROUTE_PASSWORD');
    if (options.routes && !password) throw new CliError('no_route_password', 'ROUTE_PASSWORD is not set; a cluster needs it.');
    return async () => {
      const platform = await import('@slipway/platform');
      const seeds = await seedsAt(resolve(cwd, options.seeds), platform);
      if (options.credentials !== undefined) await writeCredentials(resolve(cwd, options.credentials), seeds, platform);
      const { env, name: serverName, storeDir, routes } = options;
      const cluster = routes && { name: `slipway-${env}`, host: '0.0.0.0', port: 6_222, routes, password: password ?? '' };
      const conf = platform.renderNatsConf({ env, host: '0.0.0.0', port: 4_222, serverName, storeDir, seeds, cluster, tls });
      return { json: { conf }, text: conf.trimEnd() };
    };
  });
