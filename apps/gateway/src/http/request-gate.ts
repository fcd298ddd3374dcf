import type { ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import type { GuessLimiter } from '../auth/guess-limiter.js';
import type { KeyVerifier } from '../auth/key-verifier.service.js';
import type { DeploymentName, DeploymentResolver } from '../deployments/deployment-resolver.service.js';
import { type Entrance, FREE_ENTRANCE, type LimitBook, LimitExceeded, noteHeaders } from '../limits/limit-book.js';
import type { HttpSettings } from './http-settings.js';
import { type AnswerOptions, answerError, answerPreflight } from './answer.js';
import { readBody } from './body-reader.js';
import { acceptedCredential } from './accepts.decorator.js';
import type { Connections } from './connections.js';
import type { Cors } from './cors.js';
import type { Exchange, HeldBody } from './exchange.js';
import type { Exchanges } from './exchanges.js';
import { bodyFault, headerFault } from './header-hygiene.js';
import { idHeaders } from './request-id.js';
import { expectationOf } from './server-limits.js';
import { type Directions, explainUnrouted, isHealthCheck, misdirected } from './unrouted.js';
import type { Uploads } from './uploads.js';
import { WireRefusals } from './wire-refusals.js';
import type { SurfaceRegistry } from '../surfaces/registry.js';

interface Fault extends AnswerOptions {
  readonly error: ServiceError;
}

/** Methods whose requests are nothing without a body. */
const TAKES_BODY: ReadonlySet<string> = new Set(['POST']);

export interface GateOptions {
  readonly keys: KeyVerifier;
  readonly deployments: DeploymentResolver;
  readonly guesses: GuessLimiter;
  readonly limits: Pick<LimitBook, 'enter'>;
  readonly uploads: Uploads;
  readonly connections: Pick<Connections, 'isSurplus' | 'proven'>;
  readonly surfaces: SurfaceRegistry;
  readonly exchanges: Exchanges;
  readonly cors: Cors;
  readonly settings: HttpSettings;
}

/**
 * Everything that is checked before a byte of the body is read, in Fastify's `onRequest`: route and method, headers, key,
 * deployment, content type, declared size and limits, in this order. The first failure is the answer. A browser's preflight is
 * answered before all of it, on every path: so its page gets to read why its request is refused.
 */
export class RequestGate {
  readonly refusals: WireRefusals;
  readonly #authenticator: Authenticator;

  constructor(private readonly options: GateOptions) {
    this.#authenticator = new Authenticator(options.keys);
    this.refusals = new WireRefusals(options.exchanges);
  }

  install(server: FastifyInstance): void {
    server.decorateRequest('exchange', null);
    server.decorateRequest('call', null);
    server.addHook('onRequest', (request, reply, done) => this.#check(request, reply, done));
  }

  #check(request: FastifyRequest, reply: FastifyReply, pass: () => void): void {
    const isOpen = !request.is404 && acceptedCredential(request) === 'none';
    const route = this.#routeOf(request, isOpen);
    const exchange = this.options.exchanges.open(request.raw, reply.raw, route);
    request.exchange = exchange;
    const refuse = (error: unknown, options?: AnswerOptions): void => {
      reply.hijack();
      answerError(exchange, error, options);
    };
    if (this.options.cors.isPreflight(request.raw) && headerFault(request.raw) === null) {
      reply.hijack();
      if (this.options.connections.isSurplus(request.raw.socket)) reply.raw.shouldKeepAlive = false;
      return answerPreflight(exchange);
    }
    const fault = this.#fault(request) ?? (isOpen && route === null ? null : this.#fullness(request));
    if (fault) return refuse(fault.error, fault);
    if (isOpen) {
      this.#letIn(request, reply, exchange);
      return pass();
    }
    try {
      const refusal = this.#authenticate(request, reply, exchange);
      return refusal ? refuse(refusal) : pass();
    } catch (refusal) {
      return refuse(refusal);
    }
  }

  #letIn({ raw }: FastifyRequest, reply: FastifyReply, { id }: Exchange): void {
    void reply.headers(idHeaders(id));
    if (this.options.connections.isSurplus(raw.socket)) reply.raw.shouldKeepAlive = false;
  }

  /** The route as metrics name it; null for a health check, which is not counted. */
  #routeOf(request: FastifyRequest, isOpen: boolean): string | null {
    return isOpen && isHealthCheck(request.raw.url ?? '') ? null : (request.routeOptions.url ?? 'none');
  }

  /** @returns the refusal of a credential; other refusals are thrown */
  #authenticate(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): ServiceError | null {
    const { rawHeaders, socket } = request.raw;
    const caller = this.#authenticator.authenticate(rawHeaders);
    if (caller instanceof ServiceError) return this.options.guesses.refusal(caller, socket.remoteAddress);
    exchange.line.note({ account_id: caller.account.id, key_id: caller.key.id });
    if (!this.options.connections.proven(socket, reply.raw, caller.account.id)) throw shareOfConnections();
    this.#admit(request, exchange, caller);
    return null;
  }

  #fault({ raw, is404 }: FastifyRequest): Fault | null {
    const { surfaces, settings } = this.options;
    const directions: Directions = { surfaces, baseUrl: settings.baseUrl };
    const route = is404 ? explainUnrouted(raw, directions) : misdirected(raw, directions);
    const headers = headerFault(raw);
    if (route) return { error: route, close: headers !== null };
    if (headers) return { ...headers, close: true };
    if (expectationOf(raw) === 'other')
      return { error: new ServiceError('expectation_failed', 'Only "Expect: 100-continue" is understood.') };
    return settings.shutdown() === 'refusing' ? { error: shuttingDown() } : null;
  }

  /** Beyond the most connections there is room for health checks alone. */
  #fullness({ raw: { socket } }: FastifyRequest): Fault | null {
    return this.options.connections.isSurplus(socket) ? { error: tooManyConnections(), close: true } : null;
  }

  #admit(request: FastifyRequest, exchange: Exchange, caller: Caller): void {
    const { line, request: raw, response } = exchange;
    const { uploads } = this.options;
    const { bodyBytesMax: bytesMax } = this.options.settings;
    const deployment = this.options.deployments.resolve(request.params as DeploymentName, caller);
    line.note({ deployment_id: deployment.facts.id, ...(deployment.alias !== undefined && { alias: deployment.alias }) });
    const takesBody = TAKES_BODY.has(raw.method ?? '');
    const fault = takesBody ? bodyFault(raw, bytesMax) : null;
    if (fault) throw fault;
    const entrance = takesBody ? this.#enter(caller, response) : FREE_ENTRANCE;
    const body = async (): Promise<HeldBody> => {
      const upload = uploads.begin(caller);
      return { bytes: await readBody(raw, response, { bytesMax, upload }), hold: upload.hold };
    };
    request.call = { ...exchange, caller, deployment, entrance, body };
  }

  /** Counts the request; what is still inside when its response is over leaves. */
  #enter(caller: Caller, response: ServerResponse): Entrance {
    try {
      const entrance = this.options.limits.enter(caller);
      if (entrance !== FREE_ENTRANCE) response.once('close', () => entrance.leave());
      return entrance;
    } catch (refusal) {
      if (refusal instanceof LimitExceeded) noteHeaders(response, refusal.headers);
      throw refusal;
    }
  }
}

const tooManyConnections = (): ServiceError =>
  new ServiceError('overloaded', 'The gateway has as many connections as it can hold, all of them in use; try again soon.', {
    retryAfterS: 2,
  });
const shareOfConnections = (): ServiceError =>
  new ServiceError('rate_limit_exceeded', 'This account has as many requests open at this gateway as it may have. Try again soon.', {
    retryAfterS: 2,
    facts: { limited: 'requests' },
  });
const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
