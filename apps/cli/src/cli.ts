import { resolve } from 'node:path';
import { isServiceError } from '@slipway/contracts';
import { CommanderError, Option } from 'commander';
import { CliError, UsageError } from './cli-errors.js';
import { ACCOUNT, type Action, type Answer, CliCommand } from './command.js';
import type { Session } from './session/session.js';
import { printable } from './table.js';
import type { Terminal } from './terminal.js';

/** Exit codes: done, refused or failed, called wrongly. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What the command line runs with. */
export interface Cli {
  readonly commands: readonly CliCommand[];
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly version: string;
  variable(name: string): string | undefined;
  /** Connects. `dataDir` is what the command line names, absolute. */
  openSession(options: { dataDir: string | undefined; accountOption: string | undefined }): Promise<Session>;
}

interface CommonOptions {
  readonly json?: true;
  readonly dataDir?: string;
  readonly account?: string;
}

/** A key in a message would end up in logs and scrollbacks. */
const withoutKeys = (text: string): string => text.replace(/(svc_(?:dep|mcp)_[0-9A-Za-z]{4})[0-9A-Za-z]{10,}/g, '$1…');

/** One line of commander about a wrong command line, without values that may be secrets. */
const usageLine = (text: string): string =>
  printable(
    withoutKeys(text)
      .replace(/^error: /, '')
      .replace(/(unknown option '[^'=]*)=[^']*'/, "$1'")
      .trim()
      .replaceAll('\n', ' '),
  );

/** What was parsed: the command that the words name, and the options of all commands. */
class Program extends CliCommand {
  /** What commander printed: help that was asked for, or an error and the help that follows it. */
  printed = '';
  #chosen: CliCommand | undefined;

  constructor({ commands, version }: Pick<Cli, 'commands' | 'version'>) {
    super('npx slipway');
    const print = (text: string): void => void (this.printed += text);
    this.description('Works with the Slipway that npm start runs here, or that NATS_URL, NATS_CREDENTIALS_DIR and SLIPWAY_ENV name.')
      .option('--json', 'prints one JSON document on stdout')
      .option('--data-dir <DIR>', 'data folder of npm start (default: .slipway in the repository)')
      .addOption(new Option(ACCOUNT.flags).hideHelp())
      .version(version, '--version', 'prints the release')
      .helpOption('-h, --help', 'prints this text')
      .helpCommand('help [COMMAND]', 'prints how a command is called')
      .configureHelp({ showGlobalOptions: true, subcommandTerm: (one) => one.name() })
      .configureOutput({ writeOut: print, writeErr: print, outputError: (text) => print(`✗ ${usageLine(text)}\n`) })
      .showHelpAfterError()
      .exitOverride()
      .hook('preAction', (_, chosen) => void (this.#chosen = chosen as CliCommand));
    for (const one of commands) this.addCommand(one);
    shareSettings(this);
  }

  /** Parses a command line. @throws CommanderError when it asks for help or cannot be understood */
  read(argv: readonly string[]): CliCommand {
    // Commander reads `--help keys` as help of everything; a help option in front is meant for the words behind it.
    const [first = '', ...others] = argv;
    this.parse(first === '-h' || first === '--help' ? [...others, first] : argv, { from: 'user' });
    if (!this.#chosen) throw new TypeError('The command line named no command.');
    if (this.common.account !== undefined && !this.#chosen.options.includes(ACCOUNT)) this.#chosen.error("unknown option '--account'");
    return this.#chosen;
  }

  get common(): CommonOptions {
    return this.opts();
  }
}

function shareSettings(parent: CliCommand): void {
  for (const child of parent.commands as CliCommand[]) {
    child.copyInheritedSettings(parent);
    shareSettings(child);
  }
}

/** A failure with its code. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly facts: object;
}

/** Null for a fault of this program. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof CliError) return { code: error.code, message: error.message, facts: error.facts };
  if (!isServiceError(error)) return null;
  const param = error.param === undefined ? '' : `${error.param}: `;
  const message = error.code === 'invalid_request' ? `${param}${error.message}` : error.message;
  return { code: error.code, message, facts: {} };
}

async function fail({ terminal }: Cli, error: unknown, json: boolean): Promise<number> {
  const failure = failureOf(error);
  if (!failure) {
    const detail = error instanceof Error ? error.message : String(error);
    await terminal.note(`✗ The command line failed: ${withoutKeys(detail)}`);
    return EXIT.failed;
  }
  const message = withoutKeys(failure.message).trim();
  if (json) await terminal.print(`${JSON.stringify({ error: { code: failure.code, message, ...failure.facts } })}\n`);
  const [first = '', ...others] = message.split('\n').map(printable);
  await terminal.note([`✗ ${first} (${failure.code})`, ...others].join('\n'));
  return EXIT.failed;
}

async function answer({ terminal }: Cli, given: Answer | null, asJson: boolean): Promise<number> {
  if (given === null) return EXIT.ok;
  const { json, text, note } = given;
  await terminal.print(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
  if (note !== undefined) await terminal.note(note);
  return EXIT.ok;
}

/** The session of a command that needs none. */
const localSession = ({ terminal }: Cli): Session => ({
  terminal,
  accountOption: undefined,
  call: ({ subject }) => Promise.reject(new TypeError(`A local command called ${subject}.`)),
  close: () => Promise.resolve(),
});

async function perform(cli: Cli, { isLocal }: CliCommand, action: Action, { dataDir, account }: CommonOptions): Promise<Answer | null> {
  const session = isLocal
    ? localSession(cli)
    : await cli.openSession({ dataDir: dataDir === undefined ? undefined : resolve(cli.cwd, dataDir), accountOption: account });
  try {
    return await action(session);
  } finally {
    await session.close().catch(() => undefined);
  }
}

/** Plans and performs a command. @throws CommanderError when its words turn out to be wrong */
async function run(cli: Cli, chosen: CliCommand, common: CommonOptions): Promise<Answer | null> {
  try {
    const action = chosen.plan({ cwd: cli.cwd, variable: (name) => cli.variable(name), terminal: cli.terminal });
    return await perform(cli, chosen, action, common);
  } catch (error) {
    if (error instanceof UsageError) chosen.error(error.message);
    throw error;
  }
}

/**
 * Runs one command line.
 * @returns the exit code, see `EXIT`
 */
export async function runCli(cli: Cli, argv: readonly string[]): Promise<number> {
  const program = new Program(cli);
  try {
    const chosen = program.read(argv);
    return await answer(cli, await run(cli, chosen, program.common), program.common.json === true);
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(cli, error, program.common.json === true);
    if (error.exitCode === 0) await cli.terminal.print(program.printed);
    else await cli.terminal.note(program.printed.trimEnd());
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
