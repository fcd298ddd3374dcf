import type { OptionValues } from './option-values.js';
import type { Session } from './session/session.js';
import type { Terminal } from './terminal.js';

/** An option of a command. */
export interface OptionSpec {
  /** Name of its value in the usage; absent for a switch. */
  readonly value?: string;
  readonly short?: string;
  readonly about: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** A word that a command takes, always required. */
export interface WordSpec {
  readonly name: string;
  readonly about: string;
}

/** What was written behind a command's name. */
export interface Call {
  /** The word of a `WordSpec`. */
  word(name: string): string;
  /** The words of `more`. */
  readonly more: readonly string[];
  readonly options: OptionValues;
  /** Folder that relative paths count from. */
  readonly cwd: string;
  /** Value of an environment variable that an option names. */
  variable(name: string): string | undefined;
  readonly terminal: Terminal;
}

/** What a command says. */
export interface Answer {
  /** The one document of `--json`. */
  readonly json: object;
  /** The same for people. */
  readonly text: string;
  /** What people should know besides; goes to stderr. */
  readonly note?: string | undefined;
}

/** A command that was read and is about to run. Null = it has printed its answer itself, as it came. */
export type Action = (session: Session) => Promise<Answer | null>;

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** More that its usage says. */
  readonly remark?: string;
  readonly words: readonly WordSpec[];
  /** Words behind those, as many as somebody writes; absent = none. */
  readonly more?: WordSpec;
  readonly options: OptionSpecs;
  /**
   * Reads what was written, before anything is connected.
   * @throws UsageError when it means nothing
   */
  plan(call: Call): Action;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Command | Group)[];
}

export const isGroup = (node: Command | Group): node is Group => 'commands' in node;

/** Options that every command takes. */
export const COMMON_OPTIONS = {
  json: { about: 'prints one JSON document on stdout' },
  'data-dir': { value: 'DIR', about: 'data folder of npm start (.slipway in the repository)' },
  help: { short: 'h', about: 'this text' },
} as const satisfies OptionSpecs;

/** Option of commands that work within an account. */
export const ACCOUNT_OPTION = {
  account: { value: 'SLUG', about: 'the account (the only one there is, or local)' },
} as const satisfies OptionSpecs;
