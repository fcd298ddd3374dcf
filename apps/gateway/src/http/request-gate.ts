import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../auth/authenticator.service.js';
import type { Caller } from '../auth/caller.js';
import type { KeyVerifier } from '../auth/key-verifier.service.js';
import type { DeploymentName, DeploymentResolver } from '../deployments/deployment-resolver.service.js';
import type { HttpSettings } from './http-settings.js';
import type { GatewayMetrics } from '../observability/gateway-metrics.js';
import { RequestLine } from '../observability/request-line.js';
import { errorFormatOf } from '../surfaces/error-format.js';
import { type AnswerOptions, answerError } from './answer.js';
import type { BodyParser } from './body-parser.js';
import { readBody } from './body-reader.js';
import { acceptedCredential } from './accepts.decorator.js';
import type { Exchange } from './exchange.js';
import { bodyFault, headerFault } from './header-hygiene.js';
import { requestId } from './request-id.js';
import { expectationOf } from './server-limits.js';
import { explainUnrouted, misdirected, pathOf } from './unrouted.js';

interface Fault extends AnswerOptions {
  readonly error: ServiceError;
}

export interface GateOptions {
  readonly keys: KeyVerifier;
  readonly deployments: DeploymentResolver;
  readonly bodies: BodyParser;
  readonly metrics: GatewayMetrics;
  readonly settings: HttpSettings;
  readonly log: Logger;
}

/**
 * Everything that is checked before a byte of the body is read, in Fastify's `onRequest`: route and method, headers, key,
 * deployment, content type and declared size, in this order. The first failure is the answer.
 */
export class RequestGate {
  readonly #authenticator: Authenticator;

  constructor(private readonly options: GateOptions) {
    this.#authenticator = new Authenticator(options.keys);
  }

  install(server: FastifyInstance): void {
    server.decorateRequest('exchange', null);
    server.decorateRequest('call', null);
    server.addHook('onRequest', (request, reply, done) => this.#check(request, reply, done));
  }

  /** Answers a request whose target the router could not read. */
  refuseTarget(request: IncomingMessage, response: ServerResponse): void {
    const error = new ServiceError(
      'invalid_path',
      'The path of the URL is not valid: a percent sign must be followed by two hex digits of UTF-8.',
    );
    answerError(this.#open(request, response, 'none'), error);
  }

  #check(request: FastifyRequest, reply: FastifyReply, pass: () => void): void {
    const isHealth = !request.is404 && acceptedCredential(request) === 'none';
    const exchange = this.#open(request.raw, reply.raw, isHealth ? null : (request.routeOptions.url ?? 'none'));
    request.exchange = exchange;
    const refuse = (error: unknown, options?: AnswerOptions): void => {
      reply.hijack();
      answerError(exchange, error, options);
    };
    const fault = this.#fault(request);
    if (fault) return refuse(fault.error, fault);
    if (isHealth) {
      reply.raw.setHeader('x-request-id', exchange.id);
      return pass();
    }
    return this.#authenticator.authenticate(request.raw, reply.raw, (error, caller) => {
      if (!caller) return refuse(error);
      try {
        this.#admit(request, exchange, caller);
      } catch (refusal) {
        return refuse(refusal);
      }
      return pass();
    });
  }

  /** @param route its pattern, for the log; null for health checks, which come each second from every side. */
  #open(request: IncomingMessage, response: ServerResponse, route: string | null): Exchange {
    const id = requestId();
    const line = new RequestLine(id);
    const exchange = { id, line, request, response, format: errorFormatOf(pathOf(request.url ?? '/')) };
    if (this.options.settings.shutdown() !== 'no') response.shouldKeepAlive = false;
    if (route === null) return exchange;
    line.note({ method: request.method ?? '', route });
    response.once('close', () => {
      line.note({ status: response.headersSent ? response.statusCode : 499, ms: line.elapsed() });
      void line.settled.then(() => {
        line.write(this.options.log);
        this.options.metrics.answered(line.fields);
      });
    });
    return exchange;
  }

  #fault({ raw, is404 }: FastifyRequest): Fault | null {
    const { baseUrl, shutdown } = this.options.settings;
    const target = raw.url ?? '/';
    const route = is404 ? explainUnrouted(raw.method ?? '', target, baseUrl) : misdirected(target, baseUrl);
    if (route) return { error: route };
    const headers = headerFault(raw);
    if (headers) return { ...headers, close: true };
    if (expectationOf(raw) === 'other')
      return { error: new ServiceError('expectation_failed', 'Only "Expect: 100-continue" is understood.') };
    return shutdown() === 'refusing' ? { error: shuttingDown() } : null;
  }

  #admit(request: FastifyRequest, exchange: Exchange, caller: Caller): void {
    const { line, request: raw, response } = exchange;
    const { bodyBytesMax } = this.options.settings;
    line.note({ account_id: caller.account.id, key_id: caller.key.id });
    const deployment = this.options.deployments.resolve(request.params as DeploymentName, caller);
    line.note({ deployment_id: deployment.facts.id, ...(deployment.alias !== undefined && { alias: deployment.alias }) });
    const fault = bodyFault(raw, bodyBytesMax);
    if (fault) throw fault;
    const body = async (): Promise<Record<string, unknown>> => {
      const parsed = await this.options.bodies.parse(await readBody(raw, response, bodyBytesMax));
      // An upload may take longer than a revocation.
      if (!this.options.keys.stillValid(caller)) throw this.options.keys.invalidKey();
      return parsed;
    };
    request.call = { ...exchange, caller, deployment, body };
  }
}

const shuttingDown = (): ServiceError =>
  new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
