import { type CanonicalRequest, type ErrorCode, isServiceError, type ServiceErrorOptions } from '@slipway/contracts';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { parseBody, parsedValue } from '../http/parse-json.js';
import { affinityOf } from '../routing/affinity.js';
import type { BodyReading, RequestPolicy, RequestShell, SurfaceRequest } from '../surfaces/surface.js';

/** Average characters per token; few texts have fewer than three. */
const CHARS_PER_TOKEN = 4;
/** Overhead of a message, in tokens. */
const MESSAGE_TOKENS = 4;
const IMAGE_TOKENS = 1_000;
/** Estimate for the JSON schema of a tool, whose size is not measured. */
const TOOL_TOKENS = 100;
/** Estimate for an answer without a token limit. */
const ANSWER_TOKENS = 1_024;

/** Tokens to reserve for a request: its prompt, estimated by length, and the longest answer that it allows for each choice. */
export function estimateTokens({ messages, tools, max_tokens: maxTokens = ANSWER_TOKENS, n = 1 }: CanonicalRequest): number {
  let chars = 0;
  let tokens = messages.length * MESSAGE_TOKENS + n * maxTokens;
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text') chars += part.text.length;
      else tokens += IMAGE_TOKENS;
    }
    if (message.role === 'assistant') for (const call of message.tool_calls ?? []) chars += call.name.length + call.arguments.length;
  }
  for (const { name, description = '' } of tools ?? []) {
    chars += name.length + description.length;
    tokens += TOOL_TOKENS;
  }
  return tokens + Math.ceil(chars / CHARS_PER_TOKEN);
}

/** A request that has been read and checked. */
export interface ReadRequest<R extends SurfaceRequest = SurfaceRequest> {
  readonly shell: RequestShell<R>;
  /** The request for the worker, or its JSON in UTF-8 when a thread read it. */
  readonly canonical: CanonicalRequest | Uint8Array;
  /** Requests with the same value prefer the same worker. */
  readonly affinity: number;
  /** Tokens to reserve. */
  readonly cost: number;
  /** Token limit of each choice; undefined = none. */
  readonly maxTokens: number | undefined;
  readonly choices: number;
}

/** Parses and checks a body. @throws ServiceError for invalid JSON or an invalid request */
export function readRequest<R extends SurfaceRequest>(
  bytes: Uint8Array,
  reading: Pick<BodyReading<R>, 'read'>,
  deployment: ResolvedDeployment,
  policy: RequestPolicy,
): ReadRequest<R> & { readonly canonical: CanonicalRequest } {
  const { canonical, ...shell } = reading.read(parsedValue(parseBody(bytes)), deployment, policy);
  const { max_tokens: maxTokens, n: choices = 1 } = canonical;
  return { shell, canonical, affinity: affinityOf(canonical, shell.affinity), cost: estimateTokens(canonical), maxTokens, choices };
}

/** A deployment without `isNamed`, which needs the feeds and so the main thread. */
export type DeploymentSeed = Omit<ResolvedDeployment, 'isNamed'>;

/** Message to a thread: one body to read. */
export interface ReadTask {
  readonly reader: string;
  readonly bytes: Uint8Array;
  readonly deployment: DeploymentSeed;
  readonly policy: RequestPolicy;
}

/** Reply of a thread. `asked` = a model name that the main thread must check, null where there is none. */
export type ReadOutcome = { readonly asked: string | null } & (
  | { readonly kind: 'read'; readonly request: ReadRequest }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly options: ServiceErrorOptions }
  | { readonly kind: 'failed'; readonly reason: string }
);

/** Longer than any name of a deployment (account, slash and alias). */
const NAME_CHARS_MAX = 200;

/** Reads a body in a thread. Never throws. */
export function readInThread({ bytes, deployment, policy }: ReadTask, read: BodyReading['read']): ReadOutcome {
  let asked: string | null = null;
  const { slug, alias } = deployment;
  const isNamed = (model: string): boolean => {
    if (model === slug || model === alias) return true;
    if (model.length > NAME_CHARS_MAX) return false;
    asked = model;
    return true;
  };
  try {
    const request = readRequest(bytes, { read }, { ...deployment, isNamed }, policy);
    const canonical = new TextEncoder().encode(JSON.stringify(request.canonical));
    return { kind: 'read', asked, request: { ...request, canonical } };
  } catch (error) {
    if (!isServiceError(error))
      return { kind: 'failed', asked, reason: error instanceof Error ? (error.stack ?? error.message) : 'unknown' };
    const { code, message, param, facts, retryAfterS } = error;
    return { kind: 'refused', asked, code, message, options: { param, facts, retryAfterS } };
  }
}
