import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { ERRORS, isServiceError, type McpCall, type McpScope, ServiceError } from '@slipway/contracts';
import { dropBody, type Logger, type RpcClient } from '@slipway/platform';
import type { OwnOrigin } from '../http/own-origin.js';
import type { RequestBounds } from '../http/request-bounds.js';
import { McpCallReports } from './mcp-calls.js';
import { McpUses, userAgentOf } from './mcp-clients.js';
import { keyOf, type McpCaller, McpKeyCheck } from './mcp-key-check.js';
import { type McpRequest, McpServerMaker } from './mcp-server.js';
import type { McpAddresses } from './mcp-tool.js';
import { OpenStreams } from './open-streams.js';
import { READ_TOOLS, TOOLS } from './tool-registry.js';

/** Most bytes of a request. */
const BODY_MAX = 256 * 1024;
/** Most subscriptions of one endpoint. No event is sent on them yet. */
const SUBSCRIPTIONS_MAX = 128;

const METADATA = /^(?:\/[^?#]*)?\/\.well-known\/(?:oauth-|openid-configuration)/;

/** Dependencies of `McpEndpoints`. */
export interface McpEndpointsOptions {
  readonly rpc: RpcClient;
  readonly log: Logger;
  readonly own: OwnOrigin;
  readonly bounds: RequestBounds;
  readonly addresses: McpAddresses;
  readonly version: string;
}

/** The request's log line. */
export interface McpLogLine {
  note(fields: { error?: string; account_id?: number; key_id?: number; mcp_tool?: string; mcp_client?: string }): void;
}

interface Endpoint {
  /** Scope of its calls, which services enforce. */
  readonly scope: McpScope;
  readonly handler: McpHttpHandler;
  readonly serve: NodeMcpRequestHandler;
}

/**
 * The MCP server at `/mcp`, and with reading tools only at `/mcp/readonly`. It reads requests from the socket. It is stateless: any
 * replica can serve any request.
 */
export class McpEndpoints {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #keys: McpKeyCheck;
  readonly #streams: OpenStreams;
  readonly #uses: McpUses;
  readonly #calls: McpCallReports;
  readonly #isOwnHost: (request: IncomingMessage, response: ServerResponse) => boolean;

  constructor(private readonly options: McpEndpointsOptions) {
    this.#keys = new McpKeyCheck(options.rpc);
    this.#uses = new McpUses(options.rpc, options.log);
    this.#calls = new McpCallReports(options.rpc, options.log);
    this.#streams = new OpenStreams((key) => this.#keys.open(key));
    this.#isOwnHost = hostHeaderValidation([...options.own.hostnames]);
    this.#endpoints = new Map([
      ['/mcp', this.#endpoint(TOOLS, 'write')],
      ['/mcp/readonly', this.#endpoint(READ_TOOLS, 'read')],
    ]);
  }

  /** True for the paths of the endpoints and of OAuth metadata, which do not exist: they get a 404 of the MCP server. */
  takes(url: string): boolean {
    const [path = ''] = url.split('?');
    return this.#endpoints.has(path) || METADATA.test(path);
  }

  /** Serves a request whose body has not been read. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse, { address, line }: { address: string; line: McpLogLine }): Promise<void> {
    try {
      const endpoint = this.#endpoints.get((request.url ?? '').split('?')[0] ?? '');
      if (!endpoint) throw new ServiceError('not_found', 'Nothing is served at this address: the MCP server accepts its key only.');
      if (!this.#isOwnHost(request, response)) return line.note({ error: 'not_permitted' });
      this.#requireOwnOrigin(request);
      const value = keyOf(request.headers);
      const caller = await this.#keys.admit(value, { address, scope: endpoint.scope });
      line.note({ account_id: caller.account, key_id: caller.key });
      this.options.bounds.hold(request, response, caller.account);
      const body = await this.#bodyOf(request, response, { caller, address });
      this.#streams.add(value, response);
      const userAgent = userAgentOf(request.headers['user-agent']);
      // The connection test of the console's page does not count as a use of the key.
      const isPage = request.headers.origin !== undefined;
      if (!isPage) this.#uses.note(caller, userAgent);
      const onClientName = (name: string): void => (isPage ? undefined : this.#uses.note(caller, userAgent, name));
      const onCall = (call: McpCall): void => (isPage ? undefined : this.#calls.note(caller, call));
      const note = (fields: Parameters<McpLogLine['note']>[0]): void => line.note(fields);
      const attached = { caller, address, userAgent, onClientName, onCall, note };
      await endpoint.serve(withCaller(request, attached), response, body);
    } catch (thrown) {
      this.#refuse(thrown, { request, response, line });
    }
  }

  /** Ends all subscriptions, accepts no more, and reports the last calls. */
  async close(): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map(({ handler }) => handler.close()));
    this.#streams.end();
    await this.#calls.flush();
  }

  /** Reads a body within the console's bounds. The SDK answers bodies that are JSON but no message. */
  async #bodyOf(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, address }: { caller: McpCaller; address: string },
  ): Promise<unknown> {
    if (request.method !== 'POST') return undefined;
    const known = { account: caller.account, by: `key ${caller.key}` };
    const held = await this.options.bounds.read(request, BODY_MAX, { address, known });
    response.once('close', () => held.release());
    try {
      return JSON.parse(held.bytes.toString('utf8')) as unknown;
    } catch {
      throw new ServiceError('invalid_json', 'Parse error: the request body is not valid JSON');
    }
  }

  #endpoint(tools: ConstructorParameters<typeof McpServerMaker>[0], scope: McpScope): Endpoint {
    const { log } = this.options;
    const onerror = (error: Error): void => log.debug({ err: error }, 'mcp.refused');
    const maker = new McpServerMaker(tools, this.options);
    const bounds = { maxRequestBodySize: BODY_MAX, maxSubscriptions: SUBSCRIPTIONS_MAX };
    const handler = createMcpHandler(maker.make, { legacy: 'stateless', onerror, ...bounds });
    return { scope, handler, serve: toNodeHandler(handler, { onerror, maxRequestBodySize: BODY_MAX }) };
  }

  /** Refuses pages of other sites. Programs send no Origin header. */
  #requireOwnOrigin({ headers: { origin } }: IncomingMessage): void {
    if (origin === undefined || this.options.own.owns(origin)) return;
    throw new ServiceError('not_permitted', `Only pages of ${this.options.own.url} may call this server.`);
  }

  #refuse(thrown: unknown, { request, response, line }: { request: IncomingMessage; response: ServerResponse; line: McpLogLine }): void {
    const error = isServiceError(thrown)
      ? thrown
      : new ServiceError('internal', 'The console failed; its log has the cause.', { cause: thrown });
    line.note({ error: error.code });
    if (error.cause !== undefined) this.options.log.warn({ err: error.cause }, 'mcp.failed');
    dropBody(request);
    if (response.headersSent) response.destroy();
    else refuse(response, error);
  }
}

/** Attaches the caller as `auth`, which the SDK passes on unread. The key itself is not attached. */
function withCaller(request: IncomingMessage, attached: McpRequest): Parameters<NodeMcpRequestHandler>[0] {
  const auth = { token: '', clientId: `key:${attached.caller.key}`, scopes: [], extra: { request: attached } };
  return Object.assign(request, { method: request.method ?? '', url: request.url ?? '', auth });
}

/** JSON-RPC code of an error before any message is read. */
const REFUSED = -32_000;
/** JSON-RPC code of a body that is not JSON. */
const PARSE_ERROR = -32_700;

/**
 * Sends an error before the protocol begins. A 401 names the scheme only: clients that find OAuth metadata drop their configured
 * key.
 */
function refuse(response: ServerResponse, { code, message, retryAfterS = 2 }: ServiceError): void {
  const { status, retry } = ERRORS[code];
  const body = JSON.stringify({
    jsonrpc: '2.0',
    error: { code: code === 'invalid_json' ? PARSE_ERROR : REFUSED, message, data: { code } },
    id: null,
  });
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer realm="slipway"' }),
    ...(retry === 'later' && { 'retry-after': String(retryAfterS) }),
  });
  response.end(body);
}
