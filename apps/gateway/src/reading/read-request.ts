import { type CanonicalRequest, type ErrorCode, isServiceError, type ServiceErrorOptions } from '@slipway/contracts';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { parseBody, parsedValue } from '../http/parse-json.js';
import { estimateTokens } from '../limits/prompt-estimate.js';
import { affinityOf } from '../routing/affinity.js';
import type { BodyReading, RequestPolicy, RequestShell, SurfaceRequest } from '../surfaces/surface.js';

/** A request that was read, as the rest of the gateway uses it. */
export interface ReadRequest<R extends SurfaceRequest = SurfaceRequest> {
  readonly shell: RequestShell<R>;
  /** What the worker gets, or its JSON in UTF-8. */
  readonly canonical: CanonicalRequest | Uint8Array;
  /** Requests with the same one go to the same worker where they can. */
  readonly affinity: number;
  /** Tokens to set aside. */
  readonly cost: number;
  /** The longest answer that it allows, of each choice; absent = as the worker sees fit. */
  readonly maxTokens: number | undefined;
  readonly choices: number;
}

/** @throws ServiceError for a body that is not the JSON object, or not the request, that it should be. */
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

/** A deployment as a thread knows it: what else is called by its names only the main loop can tell. */
export type DeploymentSeed = Omit<ResolvedDeployment, 'isNamed'>;

/** What a thread is told to read. */
export interface ReadTask {
  readonly reader: string;
  readonly bytes: Uint8Array;
  readonly deployment: DeploymentSeed;
  readonly policy: RequestPolicy;
}

/** What a thread says; nothing else of the body crosses. `asked` is the model that the main loop has to look at. */
export type ReadOutcome = { readonly asked: string | null } & (
  | { readonly kind: 'read'; readonly request: ReadRequest }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly options: ServiceErrorOptions }
  | { readonly kind: 'failed'; readonly reason: string }
);

/** No name of a deployment is as long: account, slash and alias. */
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
