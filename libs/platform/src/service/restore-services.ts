import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ConfigError } from '../config/config-error.js';
import { createLogger } from '../log/logger.js';
import type { CheckedService } from './check-services.js';
import type { PreparedRestore, RestoreOrder } from './service-definition.js';

/** The line on stdin that makes a restore real. */
const COMMIT_WORD = 'commit';

/** The order in a process's arguments, `--restore=PATH` with or without `--replace`; null = there is none. */
export function restoreOrderOf(argv: readonly string[]): RestoreOrder | null {
  const [, path] = argv.map((word) => /^--restore=(.+)$/.exec(word)).find((match) => match !== null) ?? [];
  return path === undefined ? null : { archive: path, replace: argv.includes('--replace') };
}

/** The next line on stdin; null at its end. */
async function nextLine(): Promise<string | null> {
  const lines = createInterface({ input: process.stdin });
  const [line] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  lines.close();
  return line ?? null;
}

async function finish(prepared: PreparedRestore): Promise<number> {
  process.stdout.write(`${JSON.stringify(prepared.facts)}\n`);
  if ((await nextLine()) === COMMIT_WORD) {
    await prepared.commit();
    return 0;
  }
  await prepared.rollback();
  return 1;
}

/** The first of the services' resources that can be restored, loaded; null = there is none. */
async function prepare(services: readonly CheckedService[], order: RestoreOrder): Promise<PreparedRestore | null> {
  for (const { definition, environment } of services) {
    const resource = definition.resources?.find((one) => one.restore !== undefined);
    if (resource?.restore) return resource.restore(environment, createLogger(definition.name, 'silent'), order);
  }
  return null;
}

/**
 * Loads an archive into the database of a service, writes what it loaded as a line of JSON, and makes it real when `commit` comes on
 * stdin. Anything else, the end of stdin included, leaves the database as it was.
 * @returns the exit code: 0 when it is real, 2 for a wrong setting, else 1
 */
export async function restoreServices(services: readonly CheckedService[], order: RestoreOrder): Promise<number> {
  try {
    const prepared = await prepare(services, order);
    if (prepared) return await finish(prepared);
    process.stderr.write('It has no database to restore.\n');
    return 1;
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems.map((one) => `The configuration is wrong. ${one}`) : [];
    const lines = problems.length > 0 ? problems : [error instanceof Error ? error.message : String(error)];
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    return problems.length > 0 ? 2 : 1;
  }
}
