import {
  type McpRequestContext,
  McpServer,
  type McpServerFactory,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { Actor, McpCall } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import { z } from 'zod';
import { ownNameOf } from './mcp-clients.js';
import type { McpCaller } from './mcp-key-check.js';
import type { McpAddresses, McpTool, ToolCall } from './mcp-tool.js';
import { registerDeploymentResources, registerDiagnosePrompt } from './resources-and-prompts.js';
import { registerTunePrompt } from './tuning/tune-prompt.js';
import { runTool, ToolFailure, type ToolResult } from './tool-runner.js';
import { accessOf } from './tool-registry.js';

type JsonSchema = Record<string, unknown>;

/** A schema for listing only: the tool itself validates input and output. */
function shown(json: JsonSchema): StandardSchemaWithJSON<unknown, unknown> {
  const show = (): JsonSchema => json;
  return { '~standard': { version: 1, vendor: 'slipway', validate: (value) => ({ value }), jsonSchema: { input: show, output: show } } };
}

const propertiesOf = (json: JsonSchema): JsonSchema => (json['properties'] ?? {}) as JsonSchema;

/** Input schema of a tool, for clients. */
export const inputSchemaOf = (input: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> =>
  shown({ ...z.toJSONSchema(input, { io: 'input' }), additionalProperties: false });

/** Output schema of a tool, for clients: its result or a failure, since some clients validate failures too. */
export function outputSchemaOf(output: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> {
  const result = z.toJSONSchema(output);
  const failure = z.toJSONSchema(ToolFailure);
  return shown({
    type: 'object',
    properties: { ...propertiesOf(result), ...propertiesOf(failure) },
    additionalProperties: false,
    anyOf: [{ required: result['required'] ?? [] }, { required: failure['required'] ?? [] }],
  });
}

/** What `McpEndpoints` knows of a request and passes to its server. */
export interface McpRequest {
  readonly caller: McpCaller;
  /** Address of the client. */
  readonly address: string;
  readonly userAgent: string | null;
  /** Called with the client's name if the request carries one. */
  readonly onClientName: (name: string) => void;
  /** Called at the end of each call of a tool. */
  readonly onCall: (call: McpCall) => void;
  /** Notes in the request's log line what was called. */
  readonly note: (fields: { mcp_tool?: string; mcp_client?: string }) => void;
}

/** Dependencies of `McpServerMaker`. */
export interface McpServerOptions {
  readonly rpc: Pick<RpcClient, 'withProof'>;
  readonly log: Logger;
  readonly addresses: McpAddresses;
  readonly version: string;
}

const INSTRUCTIONS = [
  'Slipway serves language models. A deployment serves one model under a slug, deployment-<number>, and under aliases, account/alias.',
  'Start with list_deployments. Changes return at once: call get_deployment until the state is ready or stopped, about every 10 s.',
  'To fine-tune a model, begin with list_datasets or create_dataset_upload, and do what next_step says; the prompt tune_a_model has the whole way.',
  'Before a tool that stops, deletes, moves or revokes something, ask the person you work for, then repeat its name in the confirm argument.',
  'Keys are created and rotated by people in the console alone; never ask for their values.',
].join(' ');

/** How long clients may cache lists, which change with a release only. */
const LISTS = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Creates the server of each request, with the tools of one endpoint. */
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
        const [at, startedAt] = [new Date().toISOString(), performance.now()];
        const call = callOf(asked);
        const result = await runTool(tool, args, call, this.#onFault);
        const ended = { outcome: outcomeOf(result), ms: Math.round(performance.now() - startedAt), client: call.actor.client ?? null };
        request.onCall({ at, tool: name, access: accessOf(tool), ...ended });
        return { ...result };
      });
    }
    const own = { rpc: this.options.rpc.withProof(request.caller.proof), caller: request.caller };
    registerDeploymentResources(server, own, callOf);
    registerDiagnosePrompt(server, own);
    registerTunePrompt(server);
    return server;
  };

  readonly #onFault = (tool: string, error: Error): void => {
    this.options.log.warn({ tool, err: error.cause ?? error }, 'mcp.tool_failed');
  };

  #callOf({ caller, address, userAgent, onClientName, note }: McpRequest, name: string | undefined): ToolCall {
    if (name !== undefined) onClientName(name);
    const client = name ?? userAgent ?? undefined;
    if (client !== undefined) note({ mcp_client: client });
    const actor: Actor = { kind: 'key', key: caller.key, address, ...(client !== undefined && { client }) };
    return { rpc: this.options.rpc.withProof(caller.proof), addresses: this.options.addresses, caller, actor };
  }
}

const outcomeOf = ({ isError, structuredContent }: ToolResult): string =>
  isError ? ToolFailure.shape.code.parse(structuredContent['code']) : 'ok';

const Attached = z.object({ request: z.custom<McpRequest>((value) => typeof value === 'object' && value !== null) });

function requestOf({ authInfo }: McpRequestContext): McpRequest {
  return Attached.parse(authInfo?.extra).request;
}
