import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type RequestId, requestIdOf, type StreamId } from '@slipway/contracts';
import { randomToken, type TraceContext } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/key-verifier.service.js';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import type { Permit } from '../limits/rate-limiter.js';
import type { MemoryReservation } from '../memory/memory-shares.js';
import type { InferenceLine } from '../observability/inference-line.js';
import type { ErrorFormat } from '../surfaces/surface.js';

/** One HTTP request and its response. */
export interface RequestContext {
  /** Request id, for response headers and the log. */
  readonly id: RequestId;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Error format of the public contract that the path belongs to. */
  readonly format: ErrorFormat;
  readonly line: InferenceLine;
  /** The gateway's span in the client's trace, or in a new one. */
  readonly trace: TraceContext;
}

/** A complete body, and the memory reserved for it. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly hold: MemoryReservation;
}

/** A request whose key and deployment have been checked. */
export interface InferenceContext extends RequestContext {
  readonly caller: Caller;
  readonly deployment: ResolvedDeployment;
  /** Counts the request as running against its limits. */
  readonly permit: Permit;
  /** Reads the body; called once. The caller releases its memory. @throws ServiceError */
  readonly body: () => Promise<HeldBody>;
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext | null;
    inferenceContext: InferenceContext | null;
  }
}

/**
 * A new request id. It holds the id of the request's stream, so that one id finds a request in answers, logs and the usage ledger,
 * and cannot be guessed, as stream ids must not be.
 */
export const requestId = (): RequestId => requestIdOf(randomToken() as StreamId);

/** The headers with the request id. Clients of the messages contract read only `request-id`. */
export const idHeaders = (id: string): Record<'x-request-id' | 'request-id', string> => ({
  'x-request-id': id,
  'request-id': id,
});

/** The credential that a route requires. */
type AcceptedCredential = 'deployment-key' | 'none';

/** Declares the credential of a route. Every route declares one, so that none is open by omission. */
export const Accepts = (credential: AcceptedCredential): MethodDecorator => RouteConfig({ credential });

/** The credential of the request's route; a key where the route declares none, or there is no route. */
export function acceptedCredential({ routeOptions }: FastifyRequest): AcceptedCredential {
  const { credential } = routeOptions.config as { credential?: AcceptedCredential };
  return credential === 'none' ? 'none' : 'deployment-key';
}

/** Injects the checked request of a route that requires a deployment key, and hijacks its response from Nest and Fastify. */
export const Context = createParamDecorator((_: unknown, host: ExecutionContext): InferenceContext => {
  const http = host.switchToHttp();
  const { inferenceContext } = http.getRequest<FastifyRequest>();
  if (!inferenceContext) throw new Error('The request gate did not see this request.');
  http.getResponse<FastifyReply>().hijack();
  return inferenceContext;
});
