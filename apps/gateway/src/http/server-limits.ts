import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Times in milliseconds, sizes in bytes. */
export const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** How often the two above are looked at. */
  connectionsCheckingInterval: 1_000,
  /** Above the 60 s after which load balancers reuse idle connections. */
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16 * 1024,
  /** Requests queued behind an open response on one connection before it is cut. */
  pipelinedRequests: 100,
} as const;

/** Who is told of connections, and of the requests on them. */
export interface ConnectionWatch {
  opened(socket: Socket): void;
  began(socket: Socket, response: ServerResponse): void;
}

/** How a request wants to be told to send its body: `expectsContinue` = not before a 100, `expectsOther` = 417. */
export type Expectation = 'none' | 'continue' | 'other';

const expectations = new WeakMap<IncomingMessage, Expectation>();

/** What the request's Expect header asks for. */
export const expectationOf = (request: IncomingMessage): Expectation => expectations.get(request) ?? 'none';

/**
 * An HTTP server that bounds what one client can hold: header and request times, header size, connections, and one open
 * response per connection. It leaves `100 Continue` to whoever reads the body, and `clientError` to whoever listens.
 * @param refusePipelined answers the first request that comes while a response is open; its answer waits for that one.
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
  // The size bounds the block; counting pairs is done on the whole list, since the parser would drop the tail in silence.
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

/**
 * A request that is pipelined behind an open response never runs: it is refused after that response, and the connection
 * ends. Otherwise one connection could hold a thousand generations.
 */
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
