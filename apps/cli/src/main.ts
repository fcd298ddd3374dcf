import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli } from './cli.js';
import { COMMANDS } from './commands.js';
import { Terminal } from './terminal.js';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
/** Read here, since the platform library would load the NATS client. */
const { version: VERSION } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };

/** Exit codes after a signal, as shells count them. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Resolves with the exit code of the first signal. */
const firstSignal = (terminal: Terminal): Promise<number> =>
  new Promise((resolve) => {
    for (const [name, code] of Object.entries(SIGNALS)) {
      process.once(name, () => void terminal.note('\nInterrupted.').then(() => resolve(code)));
    }
  });

/**
 * The command line.
 * @param argv without node and script
 * @returns the exit code; open connections may still hold the process
 */
export function main(argv: readonly string[]): Promise<number> {
  const terminal = new Terminal(process);
  const environment = process.env;
  const running = runCli(
    {
      commands: COMMANDS,
      terminal,
      cwd: process.cwd(),
      version: VERSION,
      variable: (name) => environment[name],
      async openSession({ dataDir, accountOption }) {
        // Loaded here so that help and usage errors answer without loading the NATS client.
        const { connectServices } = await import('./session/connect.js');
        return connectServices({ environment, dataDir, defaultDataDir: join(REPOSITORY, '.slipway') }, { terminal, accountOption });
      },
    },
    argv,
  );
  return Promise.race([running, firstSignal(terminal)]);
}
