import type { Tool } from '@slipway/contracts';
import type { ReasoningMarks } from '../reasoning-splitter.js';
import type { AnswerText, Reading } from './answer-text.js';

/** Receives the content that a reader finds. */
export interface CallSink {
  text(text: string): void;
  /** Begins a call. Without an id it gets a new one. */
  begin(name: string, id?: string): void;
  /** Adds JSON text to its arguments. */
  args(text: string): void;
  /** Completes its arguments. A call that is never closed is incomplete or invalid. */
  close(): void;
  /** Reports invalid content after calls that were passed on already. */
  broken(): void;
}

/** A sink that also knows the offered tools. */
export interface CallFinder extends CallSink {
  /** Whether the request offers a tool of this name; anything else is not a call. */
  offers(name: string): boolean;
}

/** A tool in a grammar: `args` = the rule that matches its arguments. */
export interface ToolRule {
  readonly tool: Tool;
  readonly args: string;
  /** Rules of the single parameters, for families that do not write arguments as one JSON object. */
  readonly parameters: readonly ParameterRule[];
}

/** A parameter of a tool in a grammar. */
export interface ParameterRule {
  readonly name: string;
  readonly required: boolean;
  /** Whether its value is text without quotes. */
  readonly isText: boolean;
  /** Rule of its value up to the end mark; null = plain text up to the first end mark. */
  readonly value: string | null;
  /** Rule of the beginning of such text; null = unknown. */
  readonly begins: string | null;
}

/** Style of arguments: one JSON object, single texts and JSON values, or single JSON values. */
export type ArgumentStyle = 'object' | 'texts' | 'values';

/** GBNF of a family's calls. */
export interface CallForm {
  /** Text at the beginning of every forced call or list of calls; '' = none. */
  readonly open: string;
  /** GBNF after it for one call, or with `many` for all calls of a list. Further rules may follow, one per line. */
  readonly rest: (tools: readonly ToolRule[], many: boolean) => string;
  /**
   * GBNF rules of an answer that is free except for its calls, wherever `read` detects one. The root is `free`, and the names of all
   * rules that are not those of `rest` begin with it.
   */
  readonly free: (tools: readonly ToolRule[], many: boolean) => string;
  /** Whether `read` detects calls that `free` does not constrain. */
  readonly mayEscape?: true;
  /** Text between one `rest` and the next `open`; null = `rest` contains all calls. */
  readonly again: string | null;
  readonly style: ArgumentStyle;
  /** Further rules that `rest` refers to. */
  readonly rules: string;
}

/** The call format of a family of models, known from their chat templates. */
export interface CallFamily {
  readonly name: string;
  /** Texts that may be control tokens, whose bytes would otherwise be dropped. */
  readonly marks: readonly string[];
  /** Length of call ids, where the template accepts one length only; alphanumeric. */
  readonly idLength?: number;
  /** Whether a template with tools belongs to this family. */
  readonly knows: (template: string) => boolean;
  /** Marks around reasoning, where special to the family. */
  readonly reasoning?: ReasoningMarks;
  /** Text before the answer that is not part of it; '' = none. */
  readonly head: string;
  /** Whether `read` must remove marks even without tools. */
  readonly framesText: boolean;
  /** Reads a whole answer. */
  readonly read: (text: AnswerText, sink: CallFinder, tools: readonly Tool[]) => Reading<void>;
  readonly form: CallForm;
}
