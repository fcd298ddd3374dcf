import { EnvironmentName } from '@slipway/contracts';
import { type BackedUp, BACKED_UP, databaseUrl, type SecretChecks, secretChecks } from '@slipway/database/backup';
import { ConfigError, loadConfig } from '@slipway/platform';
import { z } from 'zod';
import { CliError } from '../cli-errors.js';

type Variable = (name: string) => string | undefined;

/** A database of a service, as the environment names it. */
export interface NamedDatabase {
  readonly name: BackedUp;
  readonly url: string;
  /** Proof of the secrets that the environment holds. */
  readonly secrets: SecretChecks;
}

/** The environment's name; `dev` where none is set. @throws CliError */
export const environmentName = (variable: Variable): string =>
  configured(() => loadConfig(z.object({ SLIPWAY_ENV: EnvironmentName.default('dev') }), { SLIPWAY_ENV: variable('SLIPWAY_ENV') }))
    .SLIPWAY_ENV;

/** Turns what is wrong with the settings into one error. @throws CliError `wrong_configuration` */
export function configured<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new CliError('wrong_configuration', error.problems.join('\n'), {}, { cause: error });
    throw error;
  }
}

/**
 * The databases that the environment names: by DATABASE_URL all, by a variable of one service that one.
 * @param only those that are wanted; absent = all that have an address
 * @throws CliError `wrong_configuration` for one without an address or its secrets
 */
export function namedDatabases(variable: Variable, only?: readonly BackedUp[]): NamedDatabase[] {
  const env = environmentName(variable);
  const isGiven = (name: BackedUp): boolean => Boolean(variable('DATABASE_URL')) || Boolean(variable(`${name.toUpperCase()}_DATABASE_URL`));
  const wanted = BACKED_UP.filter((name) => only?.includes(name) ?? isGiven(name));
  if (wanted.length === 0) throw new CliError('wrong_configuration', 'DATABASE_URL is not set, and no variable of one service either.');
  const secrets = { KEY_PEPPERS: variable('KEY_PEPPERS'), SLIPWAY_SECRET_KEY: variable('SLIPWAY_SECRET_KEY') };
  return wanted.map((name) => ({
    name,
    secrets: configured(() => secretChecks(name, secrets)),
    url: configured(() =>
      databaseUrl({
        ...{ env, name },
        serverUrl: variable('DATABASE_URL') || undefined,
        databaseUrl: variable(`${name.toUpperCase()}_DATABASE_URL`) || undefined,
      }),
    ),
  }));
}
