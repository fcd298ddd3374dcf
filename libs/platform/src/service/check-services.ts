import { readdir } from 'node:fs/promises';
import type { z } from 'zod';
import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { readCredentials } from '../nats/credentials.js';
import { natsTlsOf, readNatsTls } from '../nats/tls/tls-files.js';
import type { ServiceDefinition, ServiceSchema } from './service-definition.js';

/** A service with the variables that it would read its configuration from. */
export interface CheckedService {
  readonly definition: ServiceDefinition<ServiceSchema>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The problems that a check throws; none when it passes. */
async function problemsOf(check: () => unknown): Promise<readonly string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Credentials of the role; of roles that show only at the start, that there are any. */
async function checkCredentials({ role }: Pick<ServiceDefinition<ServiceSchema>, 'role'>, folder: string): Promise<void> {
  if (typeof role !== 'function') {
    await readCredentials(folder, role);
    return;
  }
  const files = await readdir(folder).catch((error: unknown) => {
    throw new ConfigError([`NATS_CREDENTIALS_DIR: ${folder} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  });
  if (!files.some((file) => /\.(creds|json)$/.test(file))) throw new ConfigError(['NATS_CREDENTIALS_DIR: the folder holds no credentials']);
}

const named = (environment: CheckedService['environment'], name: string): string | undefined => environment[name] || undefined;

/**
 * Everything that is wrong with the configuration of a service, one line each, such as `OPS_PORT: must be a number`. It reads the
 * files that the settings name, but opens no connection and no port. Whether a server accepts the credentials shows only at a start.
 */
async function faultsOf({ definition, environment }: CheckedService): Promise<string[]> {
  let config: z.output<ServiceSchema> | undefined;
  const faults = [await problemsOf(() => (config = loadConfig(definition.config, environment)))];
  const tls = natsTlsOf({
    NATS_CA: named(environment, 'NATS_CA'),
    NATS_CERT: named(environment, 'NATS_CERT'),
    NATS_KEY: named(environment, 'NATS_KEY'),
  });
  if (tls) faults.push(await problemsOf(() => readNatsTls(tls)));
  const folder = named(environment, 'NATS_CREDENTIALS_DIR');
  if (folder !== undefined) faults.push(await problemsOf(() => checkCredentials(definition, folder)));
  const known = config;
  if (known === undefined) return faults.flat();
  for (const resource of definition.resources ?? []) faults.push(await problemsOf(() => resource.check?.(known)));
  faults.push(await problemsOf(() => definition.http?.(known)));
  return faults.flat();
}

/** Writes what is wrong with the services' configuration. @returns the exit code: 0 when nothing is, else 2 */
export async function checkServices(services: readonly CheckedService[]): Promise<number> {
  let code = 0;
  for (const service of services) {
    const { name } = service.definition;
    const faults = await faultsOf(service);
    if (faults.length > 0) code = 2;
    else process.stdout.write(`${name}: The configuration is right.\n`);
    for (const fault of faults) process.stderr.write(`${name}: The configuration is wrong. ${fault}\n`);
  }
  return code;
}
