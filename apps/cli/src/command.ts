import { Command, Option } from 'commander';
import { CliError } from './cli-errors.js';
import type { Session } from './session/session.js';
import type { Terminal } from './terminal.js';

/** What a command plans with, besides its arguments. */
export interface Call<Options = object> {
  /** Values by the names that commander gives them: `--data-dir` is `dataDir`. */
  readonly options: Options;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  readonly terminal: Terminal;
}

/** What a command prints. */
export interface Answer {
  /** The one document of `--json`. */
  readonly json: object;
  /** The same for people. */
  readonly text: string;
  /** A remark for people; goes to stderr. */
  readonly note?: string | undefined;
}

/** A command that is ready to run. Resolves with null when it has printed its output itself, page by page. */
export type Action = (session: Session) => Promise<Answer | null>;

type Plan = (call: Call, ...args: unknown[]) => Action;

/** A command with two steps: `plan` checks the command line before anything is connected, the action then acts. */
export class CliCommand extends Command {
  #plan: Plan | undefined;
  #isLocal = false;

  /** Whether it works without a connection; its action then gets a session that reaches nothing. */
  get isLocal(): boolean {
    return this.#isLocal;
  }

  /** Marks a command that works without a connection. */
  local(): this {
    this.#isLocal = true;
    return this;
  }

  /** Takes several options at once. */
  takes(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** Ends the help with whole commands to copy. */
  examples(...examples: readonly string[]): this {
    return this.addHelpText('after', ['\nExamples:', ...examples.map((example) => `  npx slipway ${example}`)].join('\n'));
  }

  /**
   * Says what the command does.
   * @param plan gets the options and the arguments in their order, as their parsers left them; throws UsageError
   */
  plans<Options extends object, Args extends unknown[]>(plan: (call: Call<Options>, ...args: Args) => Action): this {
    this.#plan = plan as unknown as Plan;
    return this.action(() => undefined);
  }

  /** Plans with the command line that was parsed last. @throws UsageError */
  plan(surroundings: Omit<Call, 'options'>): Action {
    if (!this.#plan) throw new TypeError(`The command ${this.name()} has no plan.`);
    return this.#plan({ ...surroundings, options: this.optsWithGlobals() }, ...(this.processedArgs as unknown[]));
  }
}

/** A command. `remark` follows the summary in its own help. */
export const command = (name: string, summary: string, remark?: string): CliCommand =>
  new CliCommand(name).summary(summary).description(remark === undefined ? summary : `${summary} ${remark}`);

/** Commands under one word. */
export const group = (name: string, summary: string, commands: readonly CliCommand[]): CliCommand => {
  const all = command(name, summary);
  for (const one of commands) all.addCommand(one);
  return all;
};

/** Option of commands that work within one account. */
export const ACCOUNT = new Option('--account <SLUG>', 'the account (default: the only one, or local)');

/** Option of commands that delete. */
export const YES = new Option('-y, --yes', 'does not ask');

/** Asks a person to type the name of what is about to be deleted, unless `--yes` was given. */
type Confirmation = (loss: string, name: string) => Promise<void>;

/**
 * Whether a deletion may go on, for commands with the option `YES`.
 * @throws CliError `not_confirmed` where there is no terminal to ask on; later where another name was typed
 */
export function confirmation({ options, terminal }: Call<{ readonly yes?: true }>): Confirmation {
  if (!options.yes && !terminal.interactive)
    throw new CliError('not_confirmed', 'There is no terminal to ask on: --yes deletes without asking.');
  return async (loss, name) => {
    if (options.yes) return;
    const typed = await terminal.ask(`This deletes ${loss} for good. Type ${name} to go on: `);
    if (typed !== name) throw new CliError('not_confirmed', 'Nothing was deleted.');
  };
}
