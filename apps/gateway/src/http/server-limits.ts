import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Times in milliseconds, sizes in bytes. */
export const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** Interval at which Node checks the two timeouts above. */
  connectionsCheckingInterval: 1_000,
  /** Longer than the 60 s for which load balancers reuse idle connections. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
  /** Requests pipelined behind an open response before the connection is closed. */
  pipelinedRequests: 100,
} as const;

/** Observer of connections and of the requests on them. */
export interface ConnectionWatch {
  opened(socket: Socket): void;
  began(socket: Socket, response: ServerResponse): void;
}

/** The `Expect` header of a request: `continue` = its body waits for a 100, `other` = gets 417. */
export type Expectation = 'none' | 'continue' | 'other';

const expectations = new WeakMap<IncomingMessage, Expectation>();

/** The expectation of a request. */
export const expectationOf = (request: IncomingMessage): Expectation => expectations.get(request) ?? 'none';

/**
 * An HTTP server with limits per client: header and request time, header size, connections, and one open response per
 * connection. The reader of the body sends `100 Continue`; the caller listens for `clientError`.
 * @param refusePipelined responds to the first request that comes while a response is open, after that response
 */
export function createLimitedServer(handler: RequestListener, refusePipelined: RequestListener, connections: ConnectionWatch): Server {
  const listener = oneResponseAtATime((request, response) => {
    connections.began(request.socket, response);
    handler(request, response);
  }, refusePipelined);
  const { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize } = LIMITS;
  const options = { headersTimeout, requestTimeout, connectionsCheckingInterval, keepAliveTimeout, maxHeaderSize };
  const server = createServer({ ...options, insecureHTTPParser: false, requireHostHeader: false }, listener);
  server.on('connection', (socket: Socket) => connections.opened(socket));
  // 0 = no limit: the parser would drop further headers silently. Their size is limited, and `headerFault` counts them.
  server.maxHeadersCount = 0;
  const expecting = (expectation: Expectation) => (request: IncomingMessage, response: ServerResponse) => {
    expectations.set(request, expectation);
    listener(request, response);
  };
  server.on('checkContinue', expecting('continue'));
  server.on('checkExpectation', expecting('other'));
  return server;
}

interface Connection {
  open: boolean;
  refused: number;
}

/** Fails requests pipelined behind an open response and closes the connection; otherwise one connection could run a thousand generations. */
function oneResponseAtATime(handler: RequestListener, refusePipelined: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  return (request, response) => {
    const connection = connections.get(request.socket) ?? { open: false, refused: 0 };
    connections.set(request.socket, connection);
    if (!connection.open && connection.refused === 0) {
      connection.open = true;
      response.once('close', () => {
        connection.open = false;
      });
      return handler(request, response);
    }
    connection.refused += 1;
    request.resume();
    if (connection.refused === 1) return refusePipelined(request, response);
    if (connection.refused > LIMITS.pipelinedRequests) request.socket.destroy();
    return undefined;
  };
}
