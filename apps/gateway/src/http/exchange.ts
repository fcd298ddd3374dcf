import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.js';
import type { ResolvedDeployment } from '../deployments/deployment-resolver.service.js';
import type { Entrance } from '../limits/limit-book.js';
import type { MemoryHold } from '../memory/memory-shares.js';
import type { RequestLine } from '../observability/request-line.js';
import type { ErrorFormat } from '../surfaces/surface.js';

/** One request and its response, with what the checks before the body found out. */
export interface Exchange {
  /** Goes into the headers of the answer and the log. */
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** How errors are written: in the contract that the path belongs to. */
  readonly format: ErrorFormat;
  readonly line: RequestLine;
}

/** A body that has arrived, and the memory that it is counted with. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly hold: MemoryHold;
}

/** An exchange whose key and deployment are good. */
export interface InferenceCall extends Exchange {
  readonly caller: Caller;
  readonly deployment: ResolvedDeployment;
  /** What the request counts against its limits. */
  readonly entrance: Entrance;
  /** Takes the body in, once; whoever gets it releases its memory. @throws ServiceError */
  readonly body: () => Promise<HeldBody>;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange | null;
    call: InferenceCall | null;
  }
}
