import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CliError, UsageError } from '../cli-errors.js';
import { type Call, command } from '../command.js';

const APPS = ['keys', 'deployments', 'tuning'] as const;

interface Values {
  readonly plan?: true;
  readonly apply?: true;
}

/** Runs a service's process that shows or runs its migrations. @returns what it printed */
async function runApp(app: string, word: string): Promise<string> {
  const main = fileURLToPath(new URL(`../../../${app}-service/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, `--migrate=${word}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new CliError('migration_failed', output.stderr.trim() || `${app}-service ended with ${code}.`);
  return output.stdout.trim();
}

/** `npx slipway migrate`. */
export const migrate = command(
  'migrate',
  'Shows or runs the migrations that the databases of the services lack.',
  'It takes the databases from DATABASE_URL, or of one service from its own variable, such as KEYS_DATABASE_URL. Services with MIGRATE=never wait until it has run.',
)
  .option('--plan', 'shows them, and changes nothing')
  .option('--apply', 'runs them')
  .examples('migrate --plan', 'migrate --apply')
  .local()
  .plans(({ options, variable }: Call<Values>) => {
    if ((options.plan === undefined) === (options.apply === undefined)) throw new UsageError('It takes either --plan or --apply.');
    const isGiven = (name: string): boolean => Boolean(variable(name));
    const apps = APPS.filter((app) => isGiven('DATABASE_URL') || isGiven(`${app.toUpperCase()}_DATABASE_URL`));
    if (apps.length === 0) throw new CliError('wrong_configuration', 'DATABASE_URL is not set, and no variable of one service either.');
    return async () => {
      const lines: string[] = [];
      for (const app of apps) lines.push(...(await runApp(app, options.apply ? 'apply' : 'plan')).split('\n'));
      return { json: { lines }, text: lines.join('\n') };
    };
  });
