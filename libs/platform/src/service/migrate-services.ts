import { ConfigError } from '../config/config-error.js';
import { createLogger } from '../log/logger.js';
import type { MigrationSteps } from './service-definition.js';
import type { CheckedService } from './check-services.js';

/** What `--migrate=` takes. */
export type MigrateWord = 'plan' | 'apply';

async function migrateOne(name: string, word: MigrateWord, steps: MigrationSteps): Promise<void> {
  const pending = await steps.pending();
  if (word === 'apply') await steps.apply();
  const left = word === 'apply' ? 'has run' : 'is pending';
  const lines = pending.map((migration) => `${name}: ${migration} ${left}.`);
  process.stdout.write(`${(lines.length > 0 ? lines : [`${name}: The database lacks no migration.`]).join('\n')}\n`);
}

/** Shows or runs the missing migrations of the services' databases. @returns the exit code: 0, 2 for a wrong setting, else 1 */
export async function migrateServices(services: readonly CheckedService[], word: MigrateWord): Promise<number> {
  for (const { definition, environment } of services) {
    const { name, resources = [] } = definition;
    const log = createLogger(name, 'silent');
    try {
      const steps = resources.flatMap((resource) => resource.migrations?.(environment, log) ?? []);
      for (const one of steps) await migrateOne(name, word, one);
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems.map((one) => `The configuration is wrong. ${one}`) : [];
      const lines = problems.length > 0 ? problems : [`The migrations failed: ${error instanceof Error ? error.message : String(error)}`];
      for (const line of lines) process.stderr.write(`${name}: ${line}\n`);
      return problems.length > 0 ? 2 : 1;
    }
  }
  return 0;
}
