import { McpServer, type McpRequestContext, type McpServerFactory, type ServerContext } from '@modelcontextprotocol/server';
import type { Actor } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import { z } from 'zod';
import { registerDiagnosePrompt } from './diagnose-prompt.js';
import { registerDeploymentResources } from './deployment-resources.js';
import { ownNameOf } from './mcp-client-name.js';
import type { McpCaller } from './mcp-caller.js';
import type { McpAddresses, McpTool, ToolCall } from './mcp-tool.js';
import { runTool } from './tool-runner.js';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.js';

/** What the door knows of a request and hands to the server that answers it. */
export interface McpRequest {
  readonly caller: McpCaller;
  /** Of the client. */
  readonly address: string;
  readonly userAgent: string | null;
  /** Told when the client names itself. */
  readonly named: (name: string) => void;
  /** Tells the request's log line what was called. */
  readonly note: (fields: { mcp_tool?: string; mcp_client?: string }) => void;
}

export interface McpServerOptions {
  readonly rpc: Pick<RpcClient, 'withProof'>;
  readonly log: Logger;
  readonly addresses: McpAddresses;
  readonly version: string;
}

const INSTRUCTIONS = [
  'Slipway serves language models. A deployment serves one model under a slug, deployment-<number>, and under aliases, account/alias.',
  'Start with list_deployments. Changes return at once: call get_deployment until the state is ready or stopped, about every 10 s.',
  'Before a tool that stops, deletes, moves or revokes something, ask the person you work for, then repeat its name in the confirm argument.',
  'Keys are created and rotated by people in the console alone; never ask for their values.',
].join(' ');

/** What clients may keep of lists: tools change with a release only. */
const LISTS = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Makes the server of one request, with the tools of one endpoint. */
export class McpServerMaker {
  readonly #shown: readonly { tool: McpTool; input: ReturnType<typeof inputSchemaOf>; output: ReturnType<typeof outputSchemaOf> }[];

  constructor(
    tools: readonly McpTool[],
    private readonly options: McpServerOptions,
  ) {
    this.#shown = tools.map((tool) => ({ tool, input: inputSchemaOf(tool.input), output: outputSchemaOf(tool.output) }));
  }

  readonly make: McpServerFactory = (context) => {
    const request = requestOf(context);
    const server = new McpServer(
      { name: 'slipway', title: 'Slipway', version: this.options.version, websiteUrl: this.options.addresses.consoleUrl },
      {
        instructions: INSTRUCTIONS,
        capabilities: { tools: { listChanged: false }, resources: { listChanged: false }, prompts: { listChanged: false } },
        cacheHints: { 'tools/list': LISTS, 'resources/templates/list': LISTS, 'prompts/list': LISTS },
      },
    );
    const callOf = (asked: ServerContext): ToolCall => this.#callOf(request, ownNameOf(asked));
    for (const { tool, input, output } of this.#shown) {
      const { isReadOnly: readOnlyHint, isDestructive: destructiveHint, isIdempotent: idempotentHint } = tool.hints;
      const annotations = { title: tool.title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint: false };
      const { name, title, description } = tool;
      server.registerTool(name, { title, description, inputSchema: input, outputSchema: output, annotations }, async (args, asked) => {
        request.note({ mcp_tool: name });
        return { ...(await runTool(tool, args, callOf(asked), this.#onFault)) };
      });
    }
    const own = { rpc: this.options.rpc.withProof(request.caller.proof), caller: request.caller };
    registerDeploymentResources(server, own, callOf);
    registerDiagnosePrompt(server, own);
    return server;
  };

  readonly #onFault = (tool: string, error: Error): void => {
    this.options.log.warn({ tool, err: error.cause ?? error }, 'mcp.tool_failed');
  };

  #callOf({ caller, address, userAgent, named, note }: McpRequest, name: string | undefined): ToolCall {
    if (name !== undefined) named(name);
    const client = name ?? userAgent ?? undefined;
    if (client !== undefined) note({ mcp_client: client });
    const actor: Actor = { kind: 'key', key: caller.key, address, ...(client !== undefined && { client }) };
    return { rpc: this.options.rpc.withProof(caller.proof), addresses: this.options.addresses, caller, actor };
  }
}

const Carried = z.object({ request: z.custom<McpRequest>((value) => typeof value === 'object' && value !== null) });

function requestOf({ authInfo }: McpRequestContext): McpRequest {
  return Carried.parse(authInfo?.extra).request;
}
