import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type AccountId, CreateMcpKey, type KeyId, RotateMcpKey, UsageStream } from '@slipway/contracts';
import { ensureWorkStream } from '@slipway/platform';
import { freePorts } from '@slipway/testing';
import { until } from '../../testing/until.js';
import { ENV } from '../../services/bus.js';
import { ClientRig, type Tenant } from '../../services/client-rig.js';
import { ServiceInProcess } from '../../services/service-in-process.js';

/** How a client speaks: by the handshake of 2025, or each request for itself. */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const NEGOTIATION = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;
export const CLIENT = { name: 'agent-under-test', version: '1.2.3' };

/** An account with its MCP key, and a deployment key beside. */
export interface McpTenant extends Tenant {
  readonly mcp: { readonly id: KeyId; readonly value: string };
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly data: Record<string, unknown>;
  readonly text: string;
}

export const codeOf = ({ isError, data }: ToolAnswer): unknown => (isError ? data['code'] : 'no error');

/** All services with a console, and clients of the official SDK. */
export class McpStage {
  readonly #clients: Client[] = [];

  private constructor(
    readonly rig: ClientRig,
    readonly console: ServiceInProcess,
    /** Where the console is opened. */
    readonly url: string,
  ) {}

  /** @param baseUrl where the console says that it is opened, if not where it listens */
  static async start(baseUrl?: string): Promise<McpStage> {
    const rig = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
    try {
      await ensureWorkStream(UsageStream, { nats: await rig.bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
      const [port = 0] = await freePorts(1);
      const environment = { CONSOLE_PORT: String(port), PUBLIC_BASE_URL: rig.gateways[0] ?? '', LOG_LEVEL: 'debug' };
      const given = baseUrl === undefined ? {} : { CONSOLE_BASE_URL: baseUrl };
      const started = new ServiceInProcess('console', rig.bus, { ...environment, ...given });
      const stage = new McpStage(rig, started, `http://127.0.0.1:${port}`);
      await started.ready();
      return stage;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  async tenant(): Promise<McpTenant> {
    const tenant = await this.rig.tenant();
    return { ...tenant, mcp: await this.rig.command(CreateMcpKey, { account: tenant.account }) };
  }

  rotate(account: AccountId): Promise<{ value: string }> {
    return this.rig.command(RotateMcpKey, { account });
  }

  /** A connected client. @param path `/mcp` or `/mcp/readonly` */
  client(key: string, era: Era, path = '/mcp'): Promise<Client> {
    return this.connect(new URL(path, this.url).href, { authorization: `Bearer ${key}` }, era);
  }

  /** A client that puts questions to its person, who answers them so. */
  async askingClient(key: string, answer: (question: string) => ElicitResult): Promise<Client> {
    const client = askingClient(answer);
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', this.url), { requestInit }));
    this.#clients.push(client);
    return client;
  }

  /** A client with an address and headers, as in its settings. */
  async connect(url: string, headers: Record<string, string>, era: Era = 'modern'): Promise<Client> {
    const client = new Client(CLIENT, { versionNegotiation: { mode: NEGOTIATION[era] } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    this.#clients.push(client);
    return client;
  }

  /** Asks over HTTP as a client does, with other headers where they are given. */
  ask(headers: Record<string, string>, { path = '/mcp', method = 'POST', body = LIST_TOOLS }: Partial<RawRequest> = {}): Promise<Response> {
    return fetch(new URL(path, this.url), {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' && { body }),
    });
  }

  /** Makes a deployment of the HTTP engine, or of what `args` say, and returns its slug. */
  async created(client: Client, args: Record<string, unknown> = {}): Promise<string> {
    const engine = { model: 'scripted', engine_url: this.rig.upstream.url };
    const answer = await call(client, 'create_deployment', { ...engine, name: 'made by an agent', ...args });
    if (answer.isError) throw new Error(answer.text);
    return String(answer.data['slug']);
  }

  whenState(client: Client, slug: string, state: string): Promise<ToolAnswer> {
    return this.whenResult(client, { name: 'get_deployment', arguments: { slug } }, ({ data }) => data['state'] === state);
  }

  /** Asks a tool until its answer is as wanted. */
  whenResult(
    client: Client,
    tool: { name: string; arguments: Record<string, unknown> },
    wanted: (answer: ToolAnswer) => boolean,
  ): Promise<ToolAnswer> {
    const attempt = async (): Promise<ToolAnswer | null> => {
      const answer = await call(client, tool.name, tool.arguments);
      return wanted(answer) ? answer : null;
    };
    return until(`${tool.name} tells what is wanted`, attempt, 60_000);
  }

  async end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.console.end();
    await this.rig.end();
  }
}

interface RawRequest {
  readonly path: string;
  readonly method: string;
  readonly body: string;
}

/** A client of the newest revision that can ask its person; not connected. */
export function askingClient(answer: (question: string) => ElicitResult): Client {
  const client = new Client(CLIENT, { versionNegotiation: { mode: NEGOTIATION.modern }, capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  return client;
}

/** A request of 2025 that needs nothing before it. */
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Calls a tool; the text of a good answer must be its structure. */
export function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  return until(`${name} is answered`, async () => {
    const answer = await callOnce(client, name, args);
    // A statement that waits 0.8 s for a lock is cancelled, as on a machine without time: agents are told to call again.
    return answer.data['code'] !== 'unavailable' && answer;
  });
}

async function callOnce(client: Client, name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args });
  const [block] = result.content;
  const text = block?.type === 'text' ? block.text : '';
  return { isError: result.isError === true, data: (result.structuredContent ?? {}) as Record<string, unknown>, text };
}
