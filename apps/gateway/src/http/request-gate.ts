import type { ServerResponse } from 'node:http';
import { type KeyFeedRecord, ServiceError } from '@slipway/contracts';
import type { FeedReader } from '@slipway/feed';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../auth/authenticator.js';
import type { Caller, InvalidKeyLimiter, KeyVerifier } from '../auth/key-verifier.service.js';
import type { DeploymentName, DeploymentResolver, ResolvedCanary, ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import { LimitExceeded, type Permit, type RateLimiter, setLimitHeaders, UNLIMITED_PERMIT } from '../limits/rate-limiter.js';
import type { Router } from '../routing/router.service.js';
import type { SurfaceRegistry } from '../surfaces/registry.js';
import type { HttpSettings } from '../tokens.js';
import { readBody } from './body-reader.js';
import type { Connections } from './connections.js';
import type { Cors } from './cors.js';
import { EarlyErrors } from './early-errors.js';
import { type ErrorResponseOptions, sendError, sendPreflight } from './error-response.js';
import { bodyFault, headerFault } from './header-hygiene.js';
import { acceptedCredential, type HeldBody, idHeaders, type RequestContext } from './request-context.js';
import type { RequestsInFlight } from './requests-in-flight.js';
import { expectationOf } from './server-limits.js';
import { type Directions, explainUnrouted, isHealthCheck, wrongBaseUrl } from './unrouted.js';
import type { Uploads } from './uploads.js';

interface Fault extends ErrorResponseOptions {
  readonly error: ServiceError;
}

/** Status of a WebSocket's opening handshake: clients then use HTTP. Others they repeat, or give up. */
const UPGRADE_REQUIRED = 426;

const wantsWebSocket = ({ headers }: FastifyRequest['raw'], { code }: ServiceError): boolean =>
  code === 'method_not_allowed' && headers.upgrade?.toLowerCase() === 'websocket';

/** Methods that need a body. */
const TAKES_BODY: ReadonlySet<string> = new Set(['POST']);

/**
 * How long a request waits for proof that no revocation is missing, counted from when keys became too old, in milliseconds. A gateway
 * that stood still has it after one round trip; one that is cut off refuses at once later.
 */
const PROOF_WITHIN_MS = 2_000;

export interface GateOptions {
  readonly keys: KeyVerifier;
  readonly keyFeed: Pick<FeedReader<KeyFeedRecord>, 'nextProof'>;
  readonly deployments: DeploymentResolver;
  readonly invalidKeys: InvalidKeyLimiter;
  readonly limits: Pick<RateLimiter, 'acquire'>;
  readonly router: Pick<Router, 'refusal'>;
  readonly uploads: Uploads;
  readonly connections: Pick<Connections, 'isSurplus' | 'proven'>;
  readonly surfaces: SurfaceRegistry;
  readonly inFlight: RequestsInFlight;
  readonly cors: Cors;
  readonly settings: HttpSettings;
}

/**
 * Checks requests before their bodies are read, in Fastify's `onRequest`: route and method, headers, key, deployment, content
 * type, declared size, limits and overload, in this order. The first failure is the response. CORS preflights pass before all checks,
 * on every path, so that a page can read the error of its request.
 */
export class RequestGate {
  readonly earlyErrors: EarlyErrors;
  readonly #authenticator: Authenticator;

  constructor(private readonly options: GateOptions) {
    this.#authenticator = new Authenticator(options.keys);
    this.earlyErrors = new EarlyErrors(options.inFlight);
  }

  install(server: FastifyInstance): void {
    server.decorateRequest('requestContext', null);
    server.decorateRequest('inferenceContext', null);
    server.addHook('onRequest', (request, reply, done) => this.#check(request, reply, done));
  }

  #check(request: FastifyRequest, reply: FastifyReply, pass: () => void): void {
    const isOpen = !request.is404 && acceptedCredential(request) === 'none';
    const route = this.#routeOf(request, isOpen);
    const context = this.options.inFlight.open(request.raw, reply.raw, route);
    request.requestContext = context;
    const refuse = (error: unknown, options?: ErrorResponseOptions): void => {
      reply.hijack();
      sendError(context, error, options);
    };
    if (this.options.cors.isPreflight(request.raw) && headerFault(request.raw) === null) {
      reply.hijack();
      if (this.options.connections.isSurplus(request.raw.socket)) reply.raw.shouldKeepAlive = false;
      return sendPreflight(context);
    }
    const fault = this.#fault(request) ?? (isOpen && route === null ? null : this.#surplusFault(request));
    if (fault) return refuse(fault.error, fault);
    if (isOpen) {
      this.#prepareOpen(request, reply, context);
      return pass();
    }
    const decide = (isLast: boolean): void => {
      try {
        const error = this.#authenticate(request, reply, context);
        const proof = error?.code === 'auth_unavailable' && !isLast ? this.options.keyFeed.nextProof(PROOF_WITHIN_MS) : null;
        if (proof) return void proof.then(() => decide(true));
        return error ? refuse(error) : pass();
      } catch (error) {
        return refuse(error);
      }
    };
    return decide(false);
  }

  #prepareOpen({ raw }: FastifyRequest, reply: FastifyReply, { id }: RequestContext): void {
    void reply.headers(idHeaders(id));
    if (this.options.connections.isSurplus(raw.socket)) reply.raw.shouldKeepAlive = false;
  }

  /** The route's pattern; null for a health check, which is neither logged nor counted. */
  #routeOf(request: FastifyRequest, isOpen: boolean): string | null {
    return isOpen && isHealthCheck(request.raw.url ?? '') ? null : (request.routeOptions.url ?? 'none');
  }

  /** @returns the error of a wrong credential; other errors are thrown */
  #authenticate(request: FastifyRequest, reply: FastifyReply, context: RequestContext): ServiceError | null {
    const { rawHeaders, socket } = request.raw;
    const caller = this.#authenticator.authenticate(rawHeaders);
    if (caller instanceof ServiceError) return this.options.invalidKeys.limited(caller, socket.remoteAddress);
    context.line.note({ account_id: caller.account.id, key_id: caller.key.id });
    if (!this.options.connections.proven(socket, reply.raw, caller.account.id)) throw tooManyOfAccount();
    this.#admit(request, context, caller);
    return null;
  }

  #fault({ raw, is404 }: FastifyRequest): Fault | null {
    const { surfaces, settings } = this.options;
    const directions: Directions = { surfaces, baseUrl: settings.baseUrl };
    const route = is404 ? explainUnrouted(raw, directions) : wrongBaseUrl(raw, directions);
    const headers = headerFault(raw);
    if (route) return { error: route, close: headers !== null, ...(wantsWebSocket(raw, route) && { status: UPGRADE_REQUIRED }) };
    if (headers) return { ...headers, close: true };
    if (expectationOf(raw) === 'other')
      return { error: new ServiceError('expectation_failed', 'Only "Expect: 100-continue" is understood.') };
    return settings.shutdown() === 'refusing' ? { error: shuttingDown() } : null;
  }

  /** Above the maximum of connections only health checks are answered. */
  #surplusFault({ raw: { socket } }: FastifyRequest): Fault | null {
    return this.options.connections.isSurplus(socket) ? { error: tooManyConnections(), close: true } : null;
  }

  #admit(request: FastifyRequest, context: RequestContext, caller: Caller): void {
    const { line, request: raw, response } = context;
    const { uploads } = this.options;
    const { bodyBytesMax: bytesMax } = this.options.settings;
    const resolved = this.options.deployments.resolve(request.params as DeploymentName, caller);
    const deployment = resolved.canary ? this.#besideLoad(resolved, resolved.canary, caller) : resolved;
    line.note({ deployment_id: deployment.facts.id, ...(deployment.alias !== undefined && { alias: deployment.alias }) });
    const takesBody = TAKES_BODY.has(raw.method ?? '');
    const fault = takesBody ? bodyFault(raw, bytesMax) : null;
    if (fault) throw fault;
    const permit = takesBody ? this.#acquire(caller, response) : UNLIMITED_PERMIT;
    const overload = takesBody ? this.options.router.refusal(deployment.facts.id, caller.key.id) : null;
    if (overload) throw overload;
    const body = async (): Promise<HeldBody> => {
      const upload = uploads.begin(caller);
      return { bytes: await readBody(raw, response, { bytesMax, upload }), hold: upload.hold };
    };
    request.inferenceContext = { caller, deployment, permit, body, ...context };
  }

  /** A candidate that would refuse the request for its load leaves it to stable. */
  #besideLoad(deployment: ResolvedDeployment, canary: ResolvedCanary, { key }: Caller): ResolvedDeployment {
    const isFull = this.options.router.refusal(canary.candidate.facts.id, key.id) !== null;
    return isFull ? { ...deployment, canary: { ...canary, canServe: false } } : deployment;
  }

  /** Counts the request as running until its response is over. */
  #acquire(caller: Caller, response: ServerResponse): Permit {
    try {
      const permit = this.options.limits.acquire(caller);
      if (permit !== UNLIMITED_PERMIT) response.once('close', () => permit.release());
      return permit;
    } catch (error) {
      if (error instanceof LimitExceeded) setLimitHeaders(response, error.headers);
      throw error;
    }
  }
}

const tooManyConnections = (): ServiceError =>
  new ServiceError('overloaded', 'The gateway has reached its number of connections, and all are in use; try again soon.', {
    retryAfterS: 2,
  });
const tooManyOfAccount = (): ServiceError =>
  new ServiceError('rate_limit_exceeded', 'This account has reached its number of concurrent requests at this gateway. Try again soon.', {
    retryAfterS: 2,
    facts: { limited: 'requests' },
  });
const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
