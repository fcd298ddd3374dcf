import {
  type CanonicalRequest,
  type DeploymentFacts,
  type ErrorCode,
  isServiceError,
  ServiceError,
  type ServiceErrorOptions,
} from '@slipway/contracts';
import { type CutTexts, cutTexts, jsonBytes, type ThreadPool } from '@slipway/platform';
import type { ResolvedCanary, ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { parseBody, parsedValue } from '../http/json-guard.js';
import type { InferenceContext } from '../http/request-context.js';
import { shareUsed, tooManyBodies } from '../http/uploads.js';
import type { MemoryReservation } from '../memory/memory-shares.js';
import { affinityOf, isInShare } from '../routing/choose-worker.js';
import type { StoredResponses } from '../stored/stored-responses.js';
import type { StoredValues } from '../stored/stored-values.js';
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

const charsOf = (text: string, texts: CutTexts | undefined): number => texts?.unitsOf(text) ?? text.length;

/**
 * Tokens to reserve for a request: its prompt, estimated by length, and the longest answer that it allows for each choice.
 * @param texts those that stand in the request as marks; absent = none does
 */
function estimateTokens({ messages, tools, max_tokens: maxTokens = ANSWER_TOKENS, n = 1 }: CanonicalRequest, texts?: CutTexts): number {
  let chars = 0;
  let tokens = messages.length * MESSAGE_TOKENS + n * maxTokens;
  for (const message of messages) {
    for (const part of message.content) {
      if (part.type === 'text') chars += charsOf(part.text, texts);
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
  /** The request for the worker, or its JSON in UTF-8 where the body is large: whole, or in pieces. */
  readonly canonical: CanonicalRequest | Uint8Array | readonly Uint8Array[];
  /** Requests with the same value prefer the same worker. */
  readonly affinity: number;
  /** Tokens to reserve. */
  readonly cost: number;
  /** Token limit of each choice; undefined = none. */
  readonly maxTokens: number | undefined;
  /** 0 = nothing is generated. */
  readonly choices: number;
  /** True where the canary's candidate answers it; absent = the deployment of the path does. */
  readonly isCanary?: boolean;
}

type Reading<R extends SurfaceRequest> = Pick<BodyReading<R>, 'read' | 'namesIn'>;

/** A body that refers to stored values, which must be found before it can be read. */
interface Referring {
  readonly names: readonly string[];
}

type ReadBody<R extends SurfaceRequest> = ReadRequest<R> & {
  readonly canonical: CanonicalRequest;
  /** Its JSON with the texts that were cut out; absent = none were. */
  readonly pieces?: readonly Uint8Array[];
};

/**
 * Parses and checks a body.
 * @param stored the values that it refers to; absent = nothing has been looked up
 * @returns names of values to look up first, where the body refers to any and the deployment stores responses
 * @throws ServiceError for invalid JSON or an invalid request
 */
function readRequest<R extends SurfaceRequest>(
  bytes: Uint8Array,
  { read, namesIn }: Reading<R>,
  deployment: ResolvedDeployment,
  { policy, stored, looksUp, texts }: Place,
): ReadBody<R> | Referring {
  const body = parsedValue(parseBody(bytes));
  const names = looksUp && !stored ? (namesIn?.(body) ?? []) : [];
  if (names.length > 0) return { names };
  const { canonical, ...shell } = read(body, deployment, policy, stored ?? (looksUp ? NOTHING_STORED : undefined));
  const { max_tokens: maxTokens, n: choices = 1 } = canonical;
  const affinity = affinityOf(canonical, shell.affinity, texts);
  const cost = shell.parts ? shell.parts.costs.reduce((sum, each) => sum + each, 0) : estimateTokens(canonical, texts);
  const request = { shell, canonical, affinity, cost, maxTokens, choices: shell.parts ? 0 : choices };
  return texts ? { pieces: texts.putBack(JSON.stringify(canonical)).pieces, ...request } : request;
}

/** What is known beside a body. */
interface Place {
  readonly policy: RequestPolicy;
  /** The values that it refers to; absent = nothing has been looked up. */
  readonly stored?: StoredValues | undefined;
  /** The side on which its conversation was stored; absent = its beginning decides. */
  readonly side?: Side | undefined;
  /** Whether references can be looked up: where responses are stored. */
  readonly looksUp: boolean;
  /** The texts that were cut out of it; absent = none were. */
  readonly texts?: CutTexts;
}

/** The deployments between which an alias's conversations are shared. */
type Side = 'stable' | 'candidate';

/**
 * Reads a body for the deployment that answers it: that of the path, or the candidate of its canary. What the candidate could not do,
 * or would refuse, stays where it is.
 */
function readForSide<R extends SurfaceRequest>(
  bytes: Uint8Array,
  reading: Reading<R>,
  deployment: ResolvedDeployment,
  place: Place,
): ReadBody<R> | Referring {
  const { canary } = deployment;
  const request = readRequest(bytes, reading, deployment, place);
  if (!canary?.canServe || 'names' in request) return request;
  const isCanary = place.side === undefined ? isInShare(request.canonical, canary, place.texts) : place.side === 'candidate';
  if (!isCanary || exceeds(request.cost, canary.candidate.facts, deployment.facts)) return request;
  try {
    const own = readRequest(bytes, reading, canary.candidate, place);
    return 'names' in own ? request : { isCanary, ...own };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return request;
  }
}

const storesOnEither = ({ facts, canary }: DeploymentSeed): boolean => (facts.store ?? false) || (canary?.candidate.facts.store ?? false);

/** True for a request that may not fit into the context of a candidate whose context is the smaller one. */
const exceeds = (cost: number, { context }: DeploymentFacts, stable: DeploymentFacts): boolean =>
  context !== null && (stable.context ?? Number.POSITIVE_INFINITY) > context && cost > context;

/** What is found for a body without references. */
const NOTHING_STORED: StoredValues = new Map();

type Seed = Omit<ResolvedDeployment, 'isNamed' | 'canary'>;
/** A deployment without `isNamed`, which needs the feeds and so the main thread. */
export interface DeploymentSeed extends Seed {
  readonly canary?: Omit<ResolvedCanary, 'candidate'> & { readonly candidate: Seed };
}

const bare = ({ facts, slug, alias }: ResolvedDeployment): Seed => ({ facts, slug, alias });

/** What a thread needs of a deployment. */
const seedOf = (deployment: ResolvedDeployment): DeploymentSeed => {
  const { canary } = deployment;
  return { ...bare(deployment), ...(canary && { canary: { ...canary, candidate: bare(canary.candidate) } }) };
};

/** Message to a thread: one body to read. */
export interface ReadTask {
  readonly reader: string;
  readonly bytes: Uint8Array;
  readonly deployment: DeploymentSeed;
  readonly policy: RequestPolicy;
  readonly stored?: StoredValues | undefined;
  readonly side?: Side | undefined;
}

/** Reply of a thread. `asked` = a model name that the main thread must check, null where there is none. */
export type ReadOutcome = { readonly asked: string | null } & (
  | { readonly kind: 'read'; readonly request: ReadRequest }
  | { readonly kind: 'refers'; readonly names: readonly string[] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly options: ServiceErrorOptions }
  | { readonly kind: 'failed'; readonly reason: string }
);

/** Longer than any name of a deployment (account, slash and alias). */
const NAME_CHARS_MAX = 200;

/** Reads a body in a thread. Never throws. */
export function readInThread({ bytes, deployment, policy, stored, side }: ReadTask, reading: Reading<SurfaceRequest>): ReadOutcome {
  let asked: string | null = null;
  const { slug, alias, canary, ...rest } = deployment;
  const isNamed = (model: string): boolean => {
    if (model === slug || model === alias || model === canary?.candidate.slug) return true;
    if (model.length > NAME_CHARS_MAX) return false;
    asked = model;
    return true;
  };
  try {
    const shared = canary && { canary: { ...canary, candidate: { ...canary.candidate, isNamed } } };
    const place = { policy, stored, side, looksUp: storesOnEither(deployment) };
    const request = readForSide(bytes, reading, { ...rest, slug, alias, isNamed, ...shared }, place);
    if ('names' in request) return { kind: 'refers', asked, names: request.names };
    const canonical = jsonBytes(request.canonical, bytes.length);
    return { kind: 'read', asked, request: { ...request, canonical } };
  } catch (error) {
    if (!isServiceError(error))
      return { kind: 'failed', asked, reason: error instanceof Error ? (error.stack ?? error.message) : 'unknown' };
    const { code, message, param, facts, retryAfterS } = error;
    return { kind: 'refused', asked, code, message, options: { param, facts, retryAfterS } };
  }
}

/** Largest body read on the main thread, in bytes, beside texts that need no reading; the slowest takes about 3 ms. */
const INLINE_BYTES = 64 * 1024;
/** Larger bodies are not searched for such texts on the main thread, in bytes; the slowest search takes about 3 ms. */
const SEARCHED_BYTES = 1024 * 1024;

/**
 * Reads a large body without its long texts, which go on as they are.
 * @returns null where that is not possible: too much stands beside them, the answer continues one of them, the response is stored, or the
 *   body is refused, for which all of it is read.
 */
function readWithoutTexts<R extends SurfaceRequest>(
  bytes: Uint8Array,
  reading: Reading<R> & Pick<BodyReading<R>, 'texts'>,
  deployment: ResolvedDeployment,
  policy: RequestPolicy,
): ReadRequest<R> | null {
  const keeps = reading.namesIn !== undefined && storesOnEither(deployment);
  if (!reading.texts || keeps || bytes.length > SEARCHED_BYTES) return null;
  const cut = cutTexts(bytes, { places: reading.texts, restMax: INLINE_BYTES });
  if (!cut) return null;
  try {
    const request = readForSide(cut.json, reading, deployment, { policy, looksUp: false, texts: cut.texts });
    if ('names' in request || !request.pieces || request.canonical.continue_final) return null;
    const { pieces, ...read } = request;
    return { ...read, canonical: pieces };
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}

/** A request that has been read, with its reserved memory, which the caller releases. */
export interface HeldRequest<R extends SurfaceRequest = SurfaceRequest> extends ReadRequest<R> {
  readonly hold: Pick<MemoryReservation, 'release'>;
}

type ReadContext = Pick<InferenceContext, 'caller' | 'deployment' | 'response' | 'body'>;

/** What a body refers to, and the side on which it was. */
interface Found {
  readonly stored: StoredValues;
  readonly side: Side | undefined;
}

/** A body with what it refers to, and the memory reserved for both. */
interface Held extends Partial<Found> {
  readonly bytes: Buffer;
  readonly hold: MemoryReservation;
}

/** Reads request bodies: small ones on the main thread, large ones in threads, which return the canonical request. */
export class RequestReader {
  constructor(
    private readonly threads: Pick<ThreadPool, 'run'>,
    private readonly policy: RequestPolicy,
    private readonly stored: Pick<StoredResponses, 'find'>,
  ) {}

  /** Reads the body; called once. Looks up what it refers to, where the deployment stores responses. @throws ServiceError */
  async read<R extends SurfaceRequest>(reading: BodyReading<R>, context: ReadContext): Promise<HeldRequest<R>> {
    const { bytes, hold } = await context.body();
    try {
      const request = await this.#once(reading, context, { bytes, hold });
      if (!('names' in request)) return { hold, ...request };
      const found = await this.#find(context, request.names, hold);
      return { hold, ...this.#whole(await this.#once(reading, context, { bytes, hold, ...found })) };
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  /** Looks on both sides of a canary: a conversation goes on where its last response was stored. */
  async #find({ caller, deployment }: ReadContext, names: readonly string[], hold: MemoryReservation): Promise<Found> {
    const find = (facts: DeploymentFacts, some: readonly string[]): Promise<StoredValues> =>
      this.stored.find({ account: caller.account.id, deployment: facts.id }, some, (length) => {
        const taken = hold.take(length);
        if (taken !== 'taken') throw taken === 'full' ? tooManyBodies() : shareUsed();
      });
    const { facts, canary } = deployment;
    const stored = facts.store ? await find(facts, names) : NOTHING_STORED;
    if (!canary) return { stored, side: undefined };
    const [last = ''] = names;
    const missing = names.filter((name) => !stored.has(name));
    const others = canary.candidate.facts.store && missing.length > 0 ? await find(canary.candidate.facts, missing) : NOTHING_STORED;
    const found = others.has(last) ? 'candidate' : undefined;
    return { stored: new Map([...stored, ...others]), side: stored.has(last) ? 'stable' : found };
  }

  #whole<R extends SurfaceRequest>(request: ReadRequest<R> | Referring): ReadRequest<R> {
    if ('names' in request) throw new Error('A body refers to more after its references were looked up.');
    return request;
  }

  async #once<R extends SurfaceRequest>(reading: BodyReading<R>, context: ReadContext, held: Held): Promise<ReadRequest<R> | Referring> {
    const { bytes, stored, side, hold } = held;
    const all = bytes.length + lengthOf(stored);
    if (all > INLINE_BYTES && reading.reader !== undefined) {
      return readWithoutTexts(bytes, reading, context.deployment, this.policy) ?? this.#inThread(reading, context, held);
    }
    const looksUp = storesOnEither(context.deployment);
    const request = readForSide(bytes, reading, context.deployment, { policy: this.policy, stored, side, looksUp });
    // A small body needs no reservation while it waits for a worker.
    if (all <= INLINE_BYTES && !('names' in request)) hold.release();
    return request;
  }

  async #inThread<R extends SurfaceRequest>(
    { reader = 'chat', wrongModel }: BodyReading<R>,
    { caller, deployment, response }: ReadContext,
    { bytes, stored, side, hold }: Held,
  ): Promise<ReadRequest<R> | Referring> {
    const { slug, isNamed } = deployment;
    // A body that may refer to stored values is read twice.
    const own = storesOnEither(deployment) && !stored ? new Uint8Array(bytes) : ownBytes(bytes);
    const message: ReadTask = { reader, bytes: own, deployment: seedOf(deployment), policy: this.policy, stored, side };
    const outcome = await this.threads.run<ReadOutcome>({
      message,
      transfer: [own.buffer],
      owner: { account: caller.account.id, key: caller.key.id },
      isWanted: () => !response.destroyed,
    });
    if (outcome.asked !== null && wrongModel && !isNamed(outcome.asked)) throw wrongModel(slug);
    const request = readIn(outcome);
    if ('names' in request) return request;
    const more = request.shell.parts?.more.reduce((sum, { length }) => sum + length, 0) ?? 0;
    if (request.canonical instanceof Uint8Array) hold.shrinkTo(request.canonical.length + more);
    // Safe: the thread used the reader that the contract names.
    return request as ReadRequest<R>;
  }
}

/** What a thread read. @throws ServiceError where it refused the body, Error where it failed */
function readIn(outcome: ReadOutcome): ReadRequest | Referring {
  if (outcome.kind === 'failed') throw new Error(`A body could not be read: ${outcome.reason}`);
  if (outcome.kind === 'refused') throw new ServiceError(outcome.code, outcome.message, outcome.options);
  return outcome.kind === 'refers' ? outcome : outcome.request;
}

function lengthOf(stored: StoredValues | undefined): number {
  let bytes = 0;
  for (const { length } of stored?.values() ?? []) bytes += length;
  return bytes;
}

/** The bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
