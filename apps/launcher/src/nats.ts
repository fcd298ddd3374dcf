import { existsSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import { type Role, VALUE_STORES, WORK_STREAMS } from '@slipway/contracts';
import {
  type NatsConnection,
  connectNats,
  createLogger,
  ensureValueStore,
  ensureWorkStream,
  isTooLarge,
  natsTlsOf,
  type NatsTlsFiles,
  renderNatsConf,
  withinTime,
} from '@slipway/platform';
import { ensureNatsServer } from '../../../scripts/lib/nats-server.mjs';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { type LaunchContext, TIERS, pick, plainEnvironment } from './launch-context.js';
import { writePrivateFile } from './data-dir.js';

const READY_WITHIN_MS = 20_000;

/** On a machine with so many cores or fewer, nats-server gets one. */
const FEW_CORES = 4;

/**
 * With one core for its Go code, nats-server passes no work between its threads, which takes a quarter of its processor time for
 * short requests and paced tokens on two cores.
 */
const goSettings = (): Record<string, string> => (availableParallelism() <= FEW_CORES ? { GOMAXPROCS: '1' } : {});

/** Address of NATS, and the folder of each role's credentials. */
export interface NatsAddress {
  readonly url: string;
  readonly credentialsOf: (role: Role) => string;
  /** Files for TLS with a server of the user's own. */
  readonly tls?: NatsTlsFiles | undefined;
}

/** A NATS server that accepted a connection. */
export interface RunningNats extends NatsAddress {
  readonly version: string;
}

const MIB = 1024 * 1024;
const silent = createLogger('launcher', 'silent');

async function startOwn(context: LaunchContext): Promise<NatsAddress> {
  const { stage, dataDir, secrets, processes, env } = context;
  const { path } = await ensureNatsServer({ binDir: dataDir.bin, env: stage.environment, progress: stage.progress });
  const port = await freePort();
  const conf = join(dataDir.secrets, 'nats.conf');
  await writePrivateFile(
    conf,
    renderNatsConf({
      env,
      host: '127.0.0.1',
      port,
      serverName: `slipway-${hostname()}`,
      storeDir: dataDir.jetStream,
      seeds: secrets.natsSeeds,
    }),
  );
  processes.start({
    name: 'nats-server',
    command: path,
    args: ['-c', conf],
    cwd: dataDir.path,
    env: { ...plainEnvironment(context), ...goSettings(), ...pick(stage.environment, ['GOMAXPROCS', 'GOMEMLIMIT']) },
    tier: TIERS.messaging,
    base: true,
    stopWithinMs: 1_000,
  });
  return { url: `nats://127.0.0.1:${port}`, credentialsOf: secrets.credentialsOf };
}

/** The folder of a role's credentials: its own subfolder, so that its process sees no others, else the common folder. */
export function credentialsFolder(folder: string, role: Role): string {
  const own = join(folder, role);
  return ['creds', 'json'].some((kind) => existsSync(join(own, `${role}.${kind}`))) ? own : folder;
}

/** The user's own server; null for none. The first stage has checked that both variables are set. */
function foreign({ stage }: LaunchContext): NatsAddress | null {
  const { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir } = stage.environment;
  return url && credentialsDir
    ? { url, credentialsOf: (role) => credentialsFolder(credentialsDir, role), tls: natsTlsOf(stage.environment) }
    : null;
}

/** Connects within `READY_WITHIN_MS`; the NATS client itself would retry without end. */
export async function openConnection(context: LaunchContext, address: NatsAddress, role: 'boot' | 'ops'): Promise<NatsConnection> {
  const { signal } = context;
  const opening = connectNats({
    url: address.url,
    role,
    credentialsDir: address.credentialsOf(role),
    tls: address.tls,
    name: `launcher-${role}`,
    log: silent,
  });
  const end = (within: AbortSignal): Promise<never> =>
    new Promise((_, reject) => {
      within.addEventListener('abort', () => reject(new StartError(`NATS at ${address.url} does not respond.`)), { once: true });
    });
  try {
    return await withinTime(signal, READY_WITHIN_MS, (within) => Promise.race([opening, end(within)]));
  } catch (error) {
    opening.then((late) => late.close()).catch(() => undefined);
    if (error instanceof StartError) throw error;
    throw new StartError(`NATS at ${address.url} refuses the user ${role}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Creates the JetStream streams as user `boot`, which also checks that JetStream works. @returns the server's version */
async function makeStreams(context: LaunchContext, address: NatsAddress): Promise<string> {
  const nats = await openConnection(context, address, 'boot');
  try {
    const place = { nats, env: context.env, timeoutMs: READY_WITHIN_MS };
    for (const stream of WORK_STREAMS) await ensureWorkStream(stream, place);
    for (const store of VALUE_STORES) {
      await ensureValueStore(store, place).catch((error: unknown) => {
        if (!isTooLarge(error)) throw error;
        context.stage.progress.note(
          `NATS has no ${store.bytesMax / MIB} MiB of memory for the store "${store.name}": nothing is stored in it.`,
        );
      });
    }
    return nats.info?.version ?? 'unknown';
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`JetStream does not work at ${address.url}: ${why}`, { cause: error });
  } finally {
    await nats.close();
  }
}

/** Provides a NATS server with JetStream: the user's own, else a new one. */
export async function provideNats(context: LaunchContext): Promise<RunningNats> {
  const own = foreign(context) ?? (await startOwn(context));
  const version = await context.stage.progress.step('Starting NATS', () => makeStreams(context, own));
  return { ...own, version };
}
