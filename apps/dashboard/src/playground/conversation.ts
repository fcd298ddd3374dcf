/** One call of a tool by the model. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as far as it came. */
  readonly args: string;
}

/** What a model used for an answer, as it counts. */
export interface AnswerUsage {
  readonly prompt: number;
  /** Part of `prompt` that was not evaluated again; null where the engine does not tell. */
  readonly cached: number | null;
  readonly completion: number;
}

/** An answer, as far as it came. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** Why it ended, in the contract's word. */
  readonly finish: string | null;
  readonly usage: AnswerUsage | null;
  /** Deltas with output so far: about as many as tokens. */
  readonly pieces: number;
  /** The contract's own end was there. */
  readonly isWhole: boolean;
  /** What the stream said instead of an end. */
  readonly error: string | null;
}

export const NO_ANSWER: Answer = {
  text: '',
  reasoning: '',
  calls: [],
  finish: null,
  usage: null,
  pieces: 0,
  isWhole: false,
  error: null,
};

/** What a tool gave back. */
export interface ToolResult {
  readonly id: string;
  readonly text: string;
}

/** What somebody asked. */
export interface Question {
  readonly text: string;
  /** One for each call of the answer before. */
  readonly results: readonly ToolResult[];
}

/** A question that was answered. */
export interface Past {
  readonly question: Question;
  readonly answer: Answer;
}

/** Whether a model can go on from an answer: it said something, and each of its calls is whole. */
export const canGoOn = ({ text, calls, isWhole }: Answer): boolean => (text !== '' || calls.length > 0) && (isWhole || calls.length === 0);
