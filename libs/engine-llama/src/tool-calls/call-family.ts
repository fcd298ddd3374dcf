import type { Tool } from '@slipway/contracts';
import type { ReasoningMarks } from '../reasoning-splitter.js';
import type { AnswerText, Reading } from './answer-text.js';

/** Where a reader puts what it finds. */
export interface CallSink {
  text(text: string): void;
  /** A call begins; its name is known. Without an id it gets one. */
  begin(name: string, id?: string): void;
  /** More JSON text of its arguments. */
  args(text: string): void;
  /** Its arguments are complete. A call that is never closed was cut off, or is no valid call. */
  close(): void;
  /** Behind calls that are out comes what should be another one, and is none. */
  broken(): void;
}

/** The same for those who read: they ask before they begin. */
export interface CallFinder extends CallSink {
  /** Whether the request offers a tool of this name; what names another one is no call. */
  offers(name: string): boolean;
}

/** A tool in a grammar: `args` = the rule that matches its arguments. */
export interface ToolRule {
  readonly tool: Tool;
  readonly args: string;
  /** The rules of its parameters one by one, for families that do not write arguments as one JSON object. */
  readonly parameters: readonly ParameterRule[];
}

export interface ParameterRule {
  readonly name: string;
  readonly required: boolean;
  /** Whether its value is text that is written without quotes. */
  readonly isText: boolean;
  /** Rule of its value, up to the mark that ends it; null = text, written as it is, that ends with the first such mark. */
  readonly value: string | null;
  /** Rule of what such text begins with; null = nothing certain. */
  readonly begins: string | null;
}

/** How arguments stand in a grammar: as one JSON object, as texts and JSON values one by one, or as JSON values one by one. */
export type ArgumentStyle = 'object' | 'texts' | 'values';

/** How the calls of a family are held, in GBNF. */
export interface CallForm {
  /** Text that every call or list of calls begins with where calls are forced; '' = none. */
  readonly open: string;
  /** GBNF of what follows it for exactly one call, or for all calls of a list where `many`. Rules of its own may follow, each in a line. */
  readonly rest: (tools: readonly ToolRule[], many: boolean) => string;
  /**
   * GBNF rules of an answer that is free until a call begins, at whatever `read` takes for one, and free again behind it.
   * Their root is `free`, and the names of all that are not `rest`'s begin with it.
   */
  readonly free: (tools: readonly ToolRule[], many: boolean) => string;
  /** Whether some calls that `read` finds escape `free`. */
  readonly mayEscape?: true;
  /** What stands between one `rest` and the next `open`; null = `rest` holds all calls. */
  readonly again: string | null;
  readonly style: ArgumentStyle;
  /** Further rules that `rest` refers to. */
  readonly rules: string;
}

/** How one family of models writes its calls, as its chat template shows. */
export interface CallFamily {
  readonly name: string;
  /** Texts that may be control tokens, which otherwise write nothing. */
  readonly marks: readonly string[];
  /** Ids of calls have this many characters where the template accepts no others; the characters are alphanumeric. */
  readonly idLength?: number;
  /** Whether a template with tools is one of this family. */
  readonly knows: (template: string) => boolean;
  /** What reasoning stands between, where that is particular to the family. */
  readonly reasoning?: ReasoningMarks;
  /** What the family writes before the text of an answer, which is no part of it; '' = nothing. */
  readonly head: string;
  /** Whether `read` leaves out marks of the family also where no tools are offered. */
  readonly framesText: boolean;
  /** Reads an answer to its end. */
  readonly read: (text: AnswerText, sink: CallFinder, tools: readonly Tool[]) => Reading<void>;
  readonly form: CallForm;
}
