import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentName } from '@slipway/contracts';
import { natsTlsOf, type NatsTlsFiles } from '@slipway/platform';
import { z } from 'zod';
import { CliError } from '../cli-errors.js';
import type { Config } from '../config.js';

/** What `npm start` notes in its data folder while it runs. */
const ControlFile = z.object({
  environment: EnvironmentName,
  nats_url: z.string().min(1),
  credentials_dir: z.string().min(1),
  console_url: z.string().min(1).optional(),
});

/** How the services are reached. */
export interface ControlAddress {
  readonly url: string;
  readonly environment: string;
  /** Absent where the server asks for no credentials. */
  readonly credentialsDir: string | undefined;
  /** Absent where none are named. */
  readonly tls?: NatsTlsFiles | undefined;
  /** Where the console of `npm start` is opened; absent where nothing says so. */
  readonly consoleUrl?: string | undefined;
}

export interface AddressSources {
  readonly config: Config;
  /** Named on the command line: wins over the environment. */
  readonly dataDir: string | undefined;
  readonly defaultDataDir: string;
}

const DEFAULT_ENVIRONMENT = 'dev';

async function readControlFile(dataDir: string): Promise<z.output<typeof ControlFile>> {
  const path = join(dataDir, 'run', 'control.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new CliError('not_running', `Slipway is not running on ${dataDir}: start it with npm start.`, {}, { cause: error });
    }
    throw new CliError('not_readable', `${path} cannot be read (${code ?? 'unknown reason'}).`, {}, { cause: error });
  }
  try {
    return ControlFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new CliError('not_readable', `${path} is damaged: stop Slipway and start it again with npm start.`, {}, { cause });
  }
}

/**
 * Finds the services: `--data-dir`, else the environment, else the data folder in the repository.
 * @throws CliError `not_running` when nothing says where they are
 */
export async function findControl({ config, dataDir, defaultDataDir }: AddressSources): Promise<ControlAddress> {
  if (dataDir === undefined && config.NATS_URL !== undefined) {
    return {
      url: config.NATS_URL,
      environment: config.SLIPWAY_ENV ?? DEFAULT_ENVIRONMENT,
      credentialsDir: config.NATS_CREDENTIALS_DIR,
      tls: natsTlsOf(config),
    };
  }
  const file = await readControlFile(dataDir ?? defaultDataDir);
  const own = dataDir === undefined ? config : {};
  return {
    url: file.nats_url,
    environment: own.SLIPWAY_ENV ?? file.environment,
    credentialsDir: own.NATS_CREDENTIALS_DIR ?? file.credentials_dir,
    tls: natsTlsOf(config),
    consoleUrl: file.console_url,
  };
}
