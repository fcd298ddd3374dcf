import { type CanonicalRequest, type ErrorCode, isServiceError, ServiceError, type ServiceErrorOptions } from '@slipway/contracts';
import type { ThreadPool } from '@slipway/platform';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { parseBody, parsedValue } from '../http/json-guard.js';
import type { InferenceContext } from '../http/request-context.js';
import type { MemoryReservation } from '../memory/memory-shares.js';
import { affinityOf } from '../routing/choose-worker.js';
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
function estimateTokens({ messages, tools, max_tokens: maxTokens = ANSWER_TOKENS, n = 1 }: CanonicalRequest): number {
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
  /** 0 = nothing is generated. */
  readonly choices: number;
}

/** Parses and checks a body. @throws ServiceError for invalid JSON or an invalid request */
function readRequest<R extends SurfaceRequest>(
  bytes: Uint8Array,
  reading: Pick<BodyReading<R>, 'read'>,
  deployment: ResolvedDeployment,
  policy: RequestPolicy,
): ReadRequest<R> & { readonly canonical: CanonicalRequest } {
  const { canonical, ...shell } = reading.read(parsedValue(parseBody(bytes)), deployment, policy);
  const { max_tokens: maxTokens, n: choices = 1 } = canonical;
  const affinity = affinityOf(canonical, shell.affinity);
  const cost = shell.parts ? shell.parts.costs.reduce((sum, each) => sum + each, 0) : estimateTokens(canonical);
  return { shell, canonical, affinity, cost, maxTokens, choices: shell.parts ? 0 : choices };
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

/** Largest body read on the main thread, in bytes; the slowest takes about 3 ms. */
const INLINE_BYTES = 64 * 1024;

/** A request that has been read, with its reserved memory, which the caller releases. */
export interface HeldRequest<R extends SurfaceRequest = SurfaceRequest> extends ReadRequest<R> {
  readonly hold: Pick<MemoryReservation, 'release'>;
}

type ReadContext = Pick<InferenceContext, 'caller' | 'deployment' | 'response' | 'body'>;

/** Reads request bodies: small ones on the main thread, large ones in threads, which return the canonical request. */
export class RequestReader {
  constructor(
    private readonly threads: Pick<ThreadPool, 'run'>,
    private readonly policy: RequestPolicy,
  ) {}

  /** Reads the body; called once. @throws ServiceError */
  async read<R extends SurfaceRequest>(reading: BodyReading<R>, context: ReadContext): Promise<HeldRequest<R>> {
    const { bytes, hold } = await context.body();
    try {
      if (bytes.length > INLINE_BYTES && reading.reader !== undefined)
        return { ...(await this.#inThread(reading, context, bytes, hold)), hold };
      const request = readRequest(bytes, reading, context.deployment, this.policy);
      // A small body needs no reservation while it waits for a worker.
      if (bytes.length <= INLINE_BYTES) hold.release();
      return { ...request, hold };
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  async #inThread<R extends SurfaceRequest>(
    { reader = 'chat', wrongModel }: BodyReading<R>,
    { caller, deployment, response }: ReadContext,
    bytes: Buffer,
    hold: MemoryReservation,
  ): Promise<ReadRequest<R>> {
    const { facts, slug, alias, isNamed } = deployment;
    const own = ownBytes(bytes);
    const message: ReadTask = { reader, bytes: own, deployment: { facts, slug, alias }, policy: this.policy };
    const outcome = await this.threads.run<ReadOutcome>({
      message,
      transfer: [own.buffer],
      owner: { account: caller.account.id, key: caller.key.id },
      isWanted: () => !response.destroyed,
    });
    if (outcome.asked !== null && wrongModel && !isNamed(outcome.asked)) throw wrongModel(slug);
    if (outcome.kind === 'failed') throw new Error(`A body could not be read: ${outcome.reason}`);
    if (outcome.kind === 'refused') throw new ServiceError(outcome.code, outcome.message, outcome.options);
    const { request } = outcome;
    const more = request.shell.parts?.more.reduce((sum, { length }) => sum + length, 0) ?? 0;
    if (request.canonical instanceof Uint8Array) hold.shrinkTo(request.canonical.length + more);
    // Safe: the thread used the reader that the contract names.
    return request as ReadRequest<R>;
  }
}

/** The bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
