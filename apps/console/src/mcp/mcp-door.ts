import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { isServiceError, type McpScope, ServiceError } from '@slipway/contracts';
import { dropBody, type Logger, type RpcClient } from '@slipway/platform';
import type { OwnOrigin } from '../http/own-origin.js';
import type { RequestBounds } from '../http/request-bounds.js';
import { keyOf, McpKeyCheck } from './mcp-key-check.js';
import type { McpCaller } from './mcp-caller.js';
import { refuse } from './mcp-refusal.js';
import { userAgentOf } from './mcp-client-name.js';
import { type McpRequest, McpServerMaker } from './mcp-server.js';
import type { McpAddresses } from './mcp-tool.js';
import { McpUses } from './mcp-uses.js';
import { OpenStreams } from './open-streams.js';
import { READ_TOOLS, TOOLS } from './tool-registry.js';

/** Bytes of a request. */
const BODY_MAX = 256 * 1024;
/** Subscriptions at once and endpoint; nothing is announced by them yet. */
const SUBSCRIPTIONS_MAX = 128;

const METADATA = /^(?:\/[^?#]*)?\/\.well-known\/(?:oauth-|openid-configuration)/;

export interface McpDoorOptions {
  readonly rpc: RpcClient;
  readonly log: Logger;
  readonly own: OwnOrigin;
  readonly bounds: RequestBounds;
  readonly addresses: McpAddresses;
  readonly version: string;
}

/** What a request's log line learns. */
export interface McpLogLine {
  note(fields: { error?: string; account_id?: number; key_id?: number; mcp_tool?: string; mcp_client?: string }): void;
}

interface Endpoint {
  /** What its calls may do, whatever its tools try. */
  readonly scope: McpScope;
  readonly handler: McpHttpHandler;
  readonly serve: NodeMcpRequestHandler;
}

/**
 * The MCP server at `/mcp` and, with reading tools alone, at `/mcp/readonly`. It reads requests itself, from the socket on.
 * Any replica answers any request: nothing is kept between two of them.
 */
export class McpDoor {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #keys: McpKeyCheck;
  readonly #streams: OpenStreams;
  readonly #uses: McpUses;
  readonly #isOwnHost: (request: IncomingMessage, response: ServerResponse) => boolean;

  constructor(private readonly options: McpDoorOptions) {
    this.#keys = new McpKeyCheck(options.rpc);
    this.#uses = new McpUses(options.rpc, options.log);
    this.#streams = new OpenStreams((key) => this.#keys.open(key));
    this.#isOwnHost = hostHeaderValidation([...options.own.hostnames]);
    this.#endpoints = new Map([
      ['/mcp', this.#endpoint(TOOLS, 'write')],
      ['/mcp/readonly', this.#endpoint(READ_TOOLS, 'read')],
    ]);
  }

  /** True for paths that are answered here. The metadata of OAuth are among them: there are none, whoever asks. */
  takes(url: string): boolean {
    const [path = ''] = url.split('?');
    return this.#endpoints.has(path) || METADATA.test(path);
  }

  /** Answers a request whose body nobody has read. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse, { address, line }: { address: string; line: McpLogLine }): Promise<void> {
    try {
      const endpoint = this.#endpoints.get((request.url ?? '').split('?')[0] ?? '');
      if (!endpoint) throw new ServiceError('not_found', 'There is nothing here: the MCP server takes its key alone.');
      if (!this.#isOwnHost(request, response)) return line.note({ error: 'not_permitted' });
      this.#requireOwnOrigin(request);
      const value = keyOf(request.headers);
      const caller = await this.#keys.admit(value, { address, scope: endpoint.scope });
      line.note({ account_id: caller.account, key_id: caller.key });
      this.options.bounds.hold(request, response, caller.account);
      const body = await this.#bodyOf(request, response, { caller, address });
      this.#streams.add(value, response);
      const userAgent = userAgentOf(request.headers['user-agent']);
      // The console's own test of the connection is no use of the key.
      const isPage = request.headers.origin !== undefined;
      if (!isPage) this.#uses.note(caller, userAgent);
      const named = (name: string): void => (isPage ? undefined : this.#uses.note(caller, userAgent, name));
      const carried = { caller, address, userAgent, named, note: (fields: Parameters<McpLogLine['note']>[0]) => line.note(fields) };
      await endpoint.serve(withCaller(request, carried), response, body);
    } catch (thrown) {
      this.#refuse(thrown, { request, response, line });
    }
  }

  /** Ends subscriptions and takes no more. */
  async close(): Promise<void> {
    await Promise.all([...this.#endpoints.values()].map(({ handler }) => handler.close()));
    this.#streams.end();
  }

  /** What a request says, read within the console's bounds; the SDK answers what is no message. */
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

  /** Programs send no Origin; a page that does is another site's, as pages of ours have no use for this. */
  #requireOwnOrigin({ headers: { origin } }: IncomingMessage): void {
    if (origin === undefined || this.options.own.owns(origin)) return;
    throw new ServiceError('not_permitted', `Pages of ${this.options.own.url} alone may ask this server.`);
  }

  #refuse(thrown: unknown, { request, response, line }: { request: IncomingMessage; response: ServerResponse; line: McpLogLine }): void {
    const error = isServiceError(thrown)
      ? thrown
      : new ServiceError('internal', 'The console failed; its log says why.', { cause: thrown });
    line.note({ error: error.code });
    if (error.cause !== undefined) this.options.log.warn({ err: error.cause }, 'mcp.failed');
    dropBody(request);
    if (response.headersSent) response.destroy();
    else refuse(response, error);
  }
}

/** The SDK hands on what `auth` holds and reads none of it; the key itself stays here. */
function withCaller(request: IncomingMessage, carried: McpRequest): Parameters<NodeMcpRequestHandler>[0] {
  const auth = { token: '', clientId: `key:${carried.caller.key}`, scopes: [], extra: { request: carried } };
  return Object.assign(request, { method: request.method ?? '', url: request.url ?? '', auth });
}
