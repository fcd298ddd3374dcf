import type { WitnessCheck } from '@slipway/contracts';
import { z } from 'zod';
import { jsonOf, STALE, type UpstreamClient } from '../upstream-client.js';

/** One adapter at one server. */
export interface AdapterPlace {
  readonly client: UpstreamClient;
  /** The name that the server knows the base by. */
  readonly base: string;
  /** The adapter's name there: its SHA-256, so that a name never means another adapter. */
  readonly name: string;
  /** Folder with its PEFT form. */
  readonly folder: string;
}

/** How a chat request asks for an adapter, and how its answer shows that it was made with it. */
export interface AdapterRequest {
  readonly model: string;
  /** Further fields of the body. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The `model` of each answer; null where a server repeats what it was asked, whatever it serves. */
  readonly answersAs: string | null;
}

/** What a server makes of one token of a stored answer. */
export interface TokenScore {
  /** Null where the server does not say. */
  readonly logprob: number | null;
  /** Whether it is the most likely token there, or as likely as that within rounding. */
  readonly isGreedy: boolean;
}

/** The adapter calls of one kind of server. What they reject with: EngineLoadError, or the fault of the connection. */
export interface AdapterServer {
  /** How long the server's own list stands, in milliseconds: 0 where a request could be answered by another adapter, not refused. */
  readonly freshMs: number;
  /** Whether the server has it loaded, by its own list. */
  find(signal: AbortSignal): Promise<boolean>;
  /** Has it loaded; one that is loaded already is no failure. @throws EngineLoadError that says what to change */
  load(signal: AbortSignal): Promise<void>;
  /** Has it forgotten; one that is not loaded is no failure. */
  unload(signal: AbortSignal): Promise<void>;
  /** After `find`: how requests ask for it. */
  request(): AdapterRequest;
  /** Scores of the tokens of a stored answer, in order; one of its last may be missing. @throws EngineLoadError */
  score(check: WitnessCheck, signal: AbortSignal): Promise<readonly TokenScore[]>;
}

/** For servers that refuse names that they do not know. */
export const FRESH_MS = 2_000;

/** How far below the most likely token another one may be to count as equally likely: engines round differently. */
const TIE = 0.02;

/** @param best log probability of the most likely token there; null = unknown */
export const tokenScore = (logprob: number, best: number | null): TokenScore => ({
  logprob,
  isGreedy: best === null || best - logprob <= TIE,
});

/** A log probability for each token of a prompt of 1,280 tokens, with names. */
const ANSWER_BYTES = 1024 * 1024;

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  /** Null where it is no JSON. */
  readonly json: unknown;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** Asks below the contract's base; with a body by POST. Rejects with the fault of the connection. */
export async function askJson(
  client: UpstreamClient,
  path: string,
  { body, signal }: { readonly body?: unknown; readonly signal: AbortSignal },
): Promise<JsonAnswer> {
  const question = { signal, textBytes: ANSWER_BYTES, body };
  const { status, text } = await client.ask(path, question).catch((error: unknown) => {
    // Asked on a connection that the server closed while it lay idle.
    if (signal.aborted || !STALE.has(codeOf(error))) throw error;
    return client.ask(path, question);
  });
  return { status, text, json: jsonOf(text) };
}

const ModelNames = z.object({ data: z.array(z.object({ id: z.string() }).catch({ id: '' })) });

/** Whether the server's list of models has the adapter. Rejects with the fault of the connection. */
export async function isListed({ client, name }: AdapterPlace, signal: AbortSignal): Promise<boolean> {
  const { json } = await askJson(client, '/models', { signal });
  return ModelNames.safeParse(json).data?.data.some(({ id }) => id === name) ?? false;
}
