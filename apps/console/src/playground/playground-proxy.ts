import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { parseDeploymentSlug, ServiceError } from '@slipway/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { roleIncludes } from '../api/api-call.js';
import { originOf } from '../http/client-address.js';
import { sendError } from '../http/http-errors.js';
import type { RequestBounds } from '../http/request-bounds.js';
import type { SignedIn } from '../sessions/access-tokens.js';
import type { KeyOwner, SessionKeys } from './session-keys.js';

/** One request to the gateway. */
export interface GatewayRequest {
  /** Path with leading slash. */
  readonly path: string;
  /** JSON bytes. */
  readonly body: Buffer;
  readonly key: string;
  /** Cancels the request, also during the response. */
  readonly signal: AbortSignal;
}

/** HTTP client of the inference API. */
export class GatewayClient {
  /** @param url address of the gateway, without a path */
  constructor(private readonly url: string) {}

  /**
   * Resolves with the response once its headers arrived, whatever its status. Its body is unread.
   * @throws ServiceError `unavailable` without a response
   */
  post({ path, body, key, signal }: GatewayRequest): Promise<IncomingMessage> {
    const send = this.url.startsWith('https:') ? requestHttps : requestHttp;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve, reject) => {
      // A new connection for each request, so that none is used that the gateway has closed.
      const request = send(new URL(path, this.url), { method: 'POST', headers, signal, agent: false });
      request.on('response', resolve);
      request.on('error', (cause) => reject(new ServiceError('unavailable', 'The gateway cannot be reached; try again soon.', { cause })));
      request.end(body);
    });
  }
}

/** Largest request body, in bytes. */
const BODY_MAX = 1024 * 1024;
/** Interval at which the key of a running response is renewed, in milliseconds. */
const KEEP_EVERY_MS = 60_000;
const ENDPOINTS: Readonly<Record<string, string>> = {
  chat: 'v1/chat/completions',
  responses: 'v1/responses',
  messages: 'v1/messages',
};
/** Headers of the gateway's response that pages get. `request-id` identifies the request in the gateway's log. */
const HEADERS = ['content-type', 'cache-control', 'retry-after', 'request-id', 'x-accel-buffering'] as const;

/** Dependencies of `PlaygroundProxy`. */
export interface PlaygroundOptions {
  readonly keys: SessionKeys;
  readonly gateway: GatewayClient;
  /** Number of trusted proxies that append to X-Forwarded-For. */
  readonly proxies: number;
}

interface Call {
  readonly owner: KeyOwner;
  readonly path: string;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

type Route = { Params: { readonly deployment: string; readonly contract: string } };

/**
 * Forwards playground requests of any contract of conversations to the gateway on behalf of the signed-in person, and streams the
 * response back. The key stays in the console.
 */
export class PlaygroundProxy {
  constructor(private readonly options: PlaygroundOptions) {}

  /** Adds `POST /api/playground/<slug>/<chat|responses|messages>`. */
  install(server: FastifyInstance, bounds: RequestBounds): void {
    void server.register((scope, _options, done) => {
      // The role is checked before the body is read. The gateway validates the body.
      scope.addHook('onRequest', (request, reply, next) => {
        try {
          requireMember(callerOf(request));
          next();
        } catch (error) {
          sendError(request, reply, error);
        }
      });
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('application/json', async (request: FastifyRequest) => (await bounds.readOf(request, BODY_MAX)).bytes);
      scope.setErrorHandler((error, request, reply) => sendError(request, reply, error));
      scope.post<Route>('/api/playground/:deployment/:contract', (request, reply) => this.#forward(request, reply));
      done();
    });
  }

  async #forward(request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const path = pathOf(request.params);
    const caller = callerOf(request);
    const owner: KeyOwner = { caller, actor: { kind: 'user', user: caller.user, ...originOf(request.raw, this.options.proxies) } };
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const response = await this.#post({ owner, path, body, signal: gone.signal });
    // The response may take minutes; the request body is no longer needed.
    request.body = undefined;
    request.held?.release();
    this.#keepKeyAlive(response, owner);
    for (const name of HEADERS) if (response.headers[name] !== undefined) void reply.header(name, response.headers[name]);
    return reply.code(response.statusCode ?? 502).send(Readable.from(untilEnd(response), { objectMode: false }));
  }

  /** Sends the request. A key that the gateway refuses is replaced once, since it may have expired. */
  async #post(call: Call, isAgain = false): Promise<IncomingMessage> {
    const { keys, gateway } = this.options;
    const { owner, path, body, signal } = call;
    const key = await keys.keyFor(owner);
    const response = await gateway.post({ path, body, key, signal });
    if (response.statusCode !== 401) return response;
    response.destroy();
    keys.forget(owner, key);
    if (!isAgain) return this.#post(call, true);
    throw new ServiceError('auth_unavailable', 'The gateway does not accept the playground’s key yet; try again in a moment.');
  }

  /** Renews the key while a response runs. When the session has ended, the key is not renewed and the gateway ends the stream. */
  #keepKeyAlive(response: IncomingMessage, owner: KeyOwner): void {
    // If the renewal fails, the key expires and the gateway reports it in the stream.
    const timer = setInterval(() => void this.options.keys.keyFor(owner).catch(() => undefined), KEEP_EVERY_MS).unref();
    response.once('close', () => clearInterval(timer));
  }
}

function callerOf({ signedIn }: FastifyRequest): SignedIn {
  if (signedIn === undefined) throw new ServiceError('session_ended', 'Sign in first.');
  return signedIn;
}

/**
 * The bytes of a response up to its end or to a broken connection. Browsers drop the last bytes of a broken response, which hold the
 * reason, so the page's response ends regularly. Pages detect an incomplete response by the contract's end marker.
 */
async function* untilEnd(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of response) yield bytes as Buffer;
  } catch {
    // The bytes before the break hold the reason.
  }
}

function pathOf({ deployment, contract }: Route['Params']): string {
  const endpoint = Object.hasOwn(ENDPOINTS, contract) ? ENDPOINTS[contract] : undefined;
  if (endpoint === undefined || parseDeploymentSlug(deployment) === null)
    throw new ServiceError('not_found', 'Nothing is served at this address.');
  return `/${deployment}/${endpoint}`;
}

/** Requires a role that may use the account's budget. */
function requireMember({ role }: SignedIn): void {
  if (!roleIncludes(role, 'member'))
    throw new ServiceError('not_permitted', 'Only a member or an owner of this account may use the playground.');
}
