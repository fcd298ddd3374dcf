import type { IncomingMessage } from 'node:http';
import {
  type AccountId,
  isServiceError,
  type KeyId,
  keyKindOf,
  type Limits,
  type McpScope,
  OpenMcpKey,
  ServiceError,
} from '@slipway/contracts';
import { type Decide, decideBy, RateBuckets, type RpcClient } from '@slipway/platform';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';

/** The account of a request's MCP key. */
export interface McpCaller {
  readonly key: KeyId;
  readonly account: AccountId;
  readonly slug: string;
  readonly limits: Limits;
  /** Proof for calls on behalf of the account. */
  readonly proof: string;
}

const BEARER = /^bearer +(\S+)$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Allowed rate of unknown keys per address; more counts as guessing. */
const WRONG_KEYS = { perSecond: 2, burst: 60 } as const;

const noKey = (message: string): ServiceError => new ServiceError('missing_api_key', message);
const HOW = 'Send the MCP key of your account as "Authorization: Bearer svc_mcp_…"; the console shows how under API Keys.';

const INVALID_KEY = new ServiceError(
  'invalid_api_key',
  'This MCP key is not valid. It may have been rotated: copy the current one from the API Keys screen.',
);

/** A request for the strategy: the key in a normalised header, and the requested scope. */
interface PreparedRequest {
  readonly headers: { readonly authorization: string };
  readonly scope: McpScope;
}

/** Checks MCP keys by a passport strategy that calls keys-service for every request, so a rotated key fails at once. */
export class McpKeyCheck {
  readonly #rpc: Pick<RpcClient, 'call'>;
  readonly #wrong: RateBuckets;
  readonly #decide: Decide<McpCaller>;

  /** @param now milliseconds */
  constructor(rpc: Pick<RpcClient, 'call'>, now: () => number = () => performance.now()) {
    this.#rpc = rpc;
    this.#wrong = new RateBuckets({ ...WRONG_KEYS, now });
    const strategy = new HeaderAPIKeyStrategy({ header: 'Authorization', prefix: 'Bearer ' }, true, (value, verified, request) => {
      const { scope } = request as unknown as PreparedRequest;
      this.open(value, scope).then(
        (caller) => verified(null, caller),
        (refusal: unknown) => verified(null, undefined, refusal as ServiceError),
      );
    });
    this.#decide = decideBy(strategy, INVALID_KEY);
  }

  /**
   * Checks a key and bounds guessing per address. The caller's proof is valid for `scope`.
   * @throws ServiceError `invalid_api_key`, `rate_limit_exceeded`, `auth_unavailable`
   */
  async admit(value: string, { address, scope }: { address: string; scope: McpScope }): Promise<McpCaller> {
    const verdict = await this.#decide({ headers: { authorization: `Bearer ${value}` }, scope } satisfies PreparedRequest);
    if (!(verdict instanceof ServiceError)) return verdict;
    if (verdict.code !== 'invalid_api_key' || this.#wrong.take(address)) throw verdict;
    throw new ServiceError('rate_limit_exceeded', 'Too many wrong keys came from this address; try again later.', { retryAfterS: 10 });
  }

  /** Checks a key. @throws ServiceError `invalid_api_key`, `auth_unavailable` */
  async open(value: string, scope: McpScope = 'read'): Promise<McpCaller> {
    try {
      const { proof, ...opened } = await this.#rpc.call(OpenMcpKey, { value, scope });
      if (proof !== undefined) return { ...opened, proof };
      throw new Error('This keys-service is older than the console and signs no proofs.');
    } catch (error) {
      if (isServiceError(error) && error.code === 'invalid_api_key') throw error;
      throw new ServiceError('auth_unavailable', 'Keys cannot be checked right now; try again soon.', { retryAfterS: 2, cause: error });
    }
  }
}

/**
 * Reads the MCP key of a request and checks its form.
 * @throws ServiceError `missing_api_key`, `invalid_api_key`, `insufficient_scope`, which say what to send
 */
export function keyOf(headers: IncomingMessage['headers']): string {
  const { authorization, 'x-api-key': apiKey } = headers;
  if (authorization === undefined && apiKey !== undefined) throw noKey(`The MCP server does not read X-API-Key. ${HOW}`);
  const value = BEARER.exec(authorization ?? '')?.[1];
  if (value === undefined) throw noKey(HOW);
  const kind = keyKindOf(value);
  if (kind === 'mcp') return value;
  if (kind === 'dep' || value.startsWith('svc_dep_')) {
    throw new ServiceError('insufficient_scope', `A deployment key is not valid for the MCP server. ${HOW}`);
  }
  if (JWT.test(value)) throw new ServiceError('invalid_api_key', `A session token is not valid for the MCP server. ${HOW}`);
  throw INVALID_KEY;
}
