import type { RawAnswer } from './raw-answer.js';

/** How a refusal is written. `status` as the chat contract has it; another contract may have its own for a code. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** Where a contract's official client finds a deployment. */
export interface ClientTarget {
  /** The gateway and the deployment's name. */
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
}

/** What the tables of the HTTP door must know of one public contract. */
export interface PublicContract {
  readonly name: 'chat' | 'messages' | 'responses';
  /** What follows the deployment in a path. */
  readonly suffix: string;
  /** A small valid request body. */
  body(model: string, content: string, fields?: object): string;
  /** The status of a refusal in this contract. */
  statusOf(refusal: Refusal): number;
  /** Checks that an answer is this refusal, in this contract's shape and with the headers that its clients look at. */
  expectRefusal(answer: RawAnswer, refusal: Refusal): void;
  /** Hands an answer to the contract's official client, which must raise the class that belongs to it. */
  expectRaised(answer: RawAnswer, refusal: Refusal): Promise<void>;
  /** The text that a stream says. */
  textOf(stream: string): string;
  /** How a complete stream ends, and nothing else. */
  readonly streamEnd: RegExp;
  /** What stands in a whole answer that is complete. */
  readonly documentEnd: RegExp;
  /** What no stream may hold that is not complete. */
  readonly anyEnd: RegExp;
  /** How a stream ends that failed: with one error, last of all. */
  failureEnd(code: string): RegExp;
  /** Reads a stream with the contract's official client: what it said, and what the client raised. */
  readStream(target: ClientTarget): Promise<{ readonly text: string; readonly raised: unknown }>;
  /** What the official client raises for an error within a stream. */
  expectRaisedInStream(raised: unknown, code: string): void;
}
