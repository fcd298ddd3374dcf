import { resolve } from 'node:path';
import { isServiceError } from '@slipway/contracts';
import { CliError, UsageError } from './cli-errors.js';
import { type Place, locate, readCommandLine } from './command-line.js';
import { type Action, type Answer, type Command, type Group, isGroup } from './command.js';
import type { OptionValues } from './option-values.js';
import type { Session } from './session/session.js';
import { printable } from './table.js';
import type { Terminal } from './terminal.js';
import { callOf, usageOf } from './usage.js';

/** Exit codes: done, refused or failed, called wrongly. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

export interface Cli {
  readonly commands: Group;
  readonly terminal: Terminal;
  readonly cwd: string;
  variable(name: string): string | undefined;
  /** Connects. `dataDir` is what the command line names, absolute. */
  openSession(options: { dataDir: string | undefined; accountOption: string | undefined }): Promise<Session>;
}

/** A key in a message would end up in logs and scrollbacks. */
const withoutKeys = (text: string): string => text.replace(/(svc_(?:dep|mcp)_[0-9A-Za-z]{4})[0-9A-Za-z]{10,}/g, '$1…');

/** A failure in one line, with its code. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly facts: object;
}

/** Null for what is a fault of this program. */
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
  const message = withoutKeys(failure.message).replace(/\s*\n\s*/g, ' ');
  if (json) await terminal.print(`${JSON.stringify({ error: { code: failure.code, message, ...failure.facts } })}\n`);
  await terminal.note(`✗ ${printable(message)} (${failure.code})`);
  return EXIT.failed;
}

async function failUsage({ terminal }: Cli, error: UsageError, place: Place): Promise<number> {
  await terminal.note(`✗ ${printable(withoutKeys(error.message))}\n\n${usageOf(place).trimEnd()}`);
  return EXIT.usage;
}

async function answer({ terminal }: Cli, given: Answer | null, asJson: boolean): Promise<number> {
  if (given === null) return EXIT.ok;
  const { json, text, note } = given;
  await terminal.print(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
  if (note !== undefined) await terminal.note(note);
  return EXIT.ok;
}

interface Plan {
  readonly action: Action;
  readonly options: OptionValues;
}

function plan(cli: Cli, place: Place & { node: Command }, argv: readonly string[]): Plan {
  const { options, words, more } = readCommandLine(place, argv);
  const action = place.node.plan({
    word: (name) => words.get(name) ?? '',
    more,
    options,
    cwd: cli.cwd,
    variable: (name) => cli.variable(name),
    terminal: cli.terminal,
  });
  return { action, options };
}

async function perform(cli: Cli, { action, options }: Plan): Promise<Answer | null> {
  const dataDir = options.text('data-dir');
  const session = await cli.openSession({
    dataDir: dataDir === undefined ? undefined : resolve(cli.cwd, dataDir),
    accountOption: options.text('account'),
  });
  try {
    return await action(session);
  } finally {
    await session.close().catch(() => undefined);
  }
}

function commandAt({ node, path }: Place, stranger: string | undefined): Place & { node: Command } {
  if (!isGroup(node)) return { node, path };
  throw new UsageError(stranger === undefined ? 'Name a command.' : `"${stranger}" is no command of ${callOf(path)}.`);
}

/**
 * Runs one command line.
 * @returns the exit code, see `EXIT`
 */
export async function runCli(cli: Cli, argv: readonly string[]): Promise<number> {
  const { place, help, stranger } = locate(cli.commands, argv);
  if (help) {
    await cli.terminal.print(usageOf(place));
    return EXIT.ok;
  }
  const json = argv.includes('--json');
  try {
    return await answer(cli, await perform(cli, plan(cli, commandAt(place, stranger), argv)), json);
  } catch (error) {
    return error instanceof UsageError ? failUsage(cli, error, place) : fail(cli, error, json);
  }
}
