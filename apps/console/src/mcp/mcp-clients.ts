import { CLIENT_INFO_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CHARS, RecordMcpUse } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import { z } from 'zod';
import type { McpCaller } from './mcp-key-check.js';

const UNSAFE = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu;
const ClientInfo = z.object({ name: z.string(), version: z.string().optional() });

const cleaned = (text: string | null | undefined): string | undefined => text?.replace(UNSAFE, '').slice(0, CLIENT_CHARS) || undefined;

/** A User-Agent header without unsafe characters, cut to the stored length. */
export const userAgentOf = (header: string | null | undefined): string | null => cleaned(header) ?? null;

/** The client name in a request's metadata, which exists since protocol revision 2026-07-28. It is not authenticated. */
export function ownNameOf({ mcpReq }: Pick<ServerContext, 'mcpReq'>): string | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = ClientInfo.safeParse(envelope?.[CLIENT_INFO_META_KEY]);
  return info.success ? cleaned([info.data.name, info.data.version].filter(Boolean).join('/')) : undefined;
}

/** An unchanged client is recorded again after this time, in milliseconds. */
const AGAIN_MS = 60_000;
/** Most clients that are remembered; the one recorded longest ago is dropped first. */
const REMEMBERED_MAX = 1_000;

interface Recorded {
  readonly at: number;
  readonly client: string | undefined;
}

/** Reports to keys-service which client used an MCP key. Requests do not wait for it; after a failure the next request reports again. */
export class McpUses {
  /** By key and User-Agent. Only some requests carry a client name. */
  readonly #recorded = new Map<string, Recorded>();
  /** Ids with a report under way. The next one waits for it, else the older name could be stored last. */
  readonly #reporting = new Set<string>();

  /** @param now milliseconds */
  constructor(
    private readonly rpc: Pick<RpcClient, 'withProof'>,
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Notes one use. @param name client name, if the request carries one */
  note(caller: McpCaller, userAgent: string | null, name?: string): void {
    const id = `${caller.key} ${userAgent ?? ''}`;
    const before = this.#recorded.get(id);
    const client = (name ?? before?.client ?? userAgent)?.slice(0, CLIENT_CHARS) || undefined;
    if (before && before.client === client && this.now() - before.at < AGAIN_MS) return;
    this.#remember(id, { at: this.now(), client });
    if (!this.#reporting.has(id)) void this.#report(caller, id);
  }

  #remember(id: string, recorded: Recorded): void {
    this.#recorded.delete(id);
    this.#recorded.set(id, recorded);
    const [oldest] = this.#recorded.keys();
    if (oldest !== undefined && this.#recorded.size > REMEMBERED_MAX) this.#recorded.delete(oldest);
  }

  async #report(caller: McpCaller, id: string): Promise<void> {
    const { account, key, proof } = caller;
    const client = this.#recorded.get(id)?.client;
    const use = { account, key, ...(client !== undefined && { client }) };
    this.#reporting.add(id);
    try {
      await this.rpc.withProof(proof).call(RecordMcpUse, use);
    } catch (error) {
      this.log.debug({ err: error, key_id: key }, 'mcp.use_not_recorded');
      const recorded = this.#recorded.get(id);
      if (recorded?.client === client) this.#recorded.set(id, { at: -Infinity, client });
    }
    this.#reporting.delete(id);
    const recorded = this.#recorded.get(id);
    if (recorded && recorded.client !== client) await this.#report(caller, id);
  }
}
