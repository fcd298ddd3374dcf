import { loadConfig } from '@slipway/platform';
import { CliError } from '../cli-errors.js';
import { Config } from '../config.js';
import { findControl } from './control-address.js';
import { openSession } from './open-session.js';
import type { Session } from './session.js';

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDir: string | undefined;
  readonly defaultDataDir: string;
}

function readConfig(environment: NodeJS.ProcessEnv): Config {
  try {
    return loadConfig(Config, environment);
  } catch (error) {
    throw new CliError('wrong_configuration', error instanceof Error ? error.message : String(error), {}, { cause: error });
  }
}

/**
 * Finds the services and connects to them.
 * @throws CliError when they are not there
 */
export async function connectServices(
  { environment, dataDir, defaultDataDir }: Surroundings,
  options: Pick<Session, 'terminal' | 'accountOption'>,
): Promise<Session> {
  return openSession(await findControl({ config: readConfig(environment), dataDir, defaultDataDir }), options);
}
