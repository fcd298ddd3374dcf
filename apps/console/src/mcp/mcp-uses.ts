import { CLIENT_CHARS, RecordMcpUse } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import type { McpCaller } from './mcp-caller.js';

/** The same client is told again so long after, in milliseconds. */
const AGAIN_MS = 60_000;
/** Clients that are remembered; those that were told longest ago go first. */
const REMEMBERED_MAX = 1_000;

interface Told {
  readonly at: number;
  readonly client: string | undefined;
}

/** Tells keys-service which client used an MCP key. No request waits for it, and one that fails is made up for by the next. */
export class McpUses {
  /** By key and User-Agent, which every request has; the name that clients give themselves comes with some. */
  readonly #told = new Map<string, Told>();

  /** @param now milliseconds */
  constructor(
    private readonly rpc: Pick<RpcClient, 'withProof'>,
    private readonly log: Logger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param name as the client names itself, where this request says so */
  note(caller: McpCaller, userAgent: string | null, name?: string): void {
    const id = `${caller.key} ${userAgent ?? ''}`;
    const before = this.#told.get(id);
    const client = (name ?? before?.client ?? userAgent)?.slice(0, CLIENT_CHARS) || undefined;
    if (before && before.client === client && this.now() - before.at < AGAIN_MS) return;
    this.#remember(id, { at: this.now(), client });
    this.#tell(caller, client, id);
  }

  #remember(id: string, told: Told): void {
    this.#told.delete(id);
    this.#told.set(id, told);
    const [oldest] = this.#told.keys();
    if (oldest !== undefined && this.#told.size > REMEMBERED_MAX) this.#told.delete(oldest);
  }

  #tell({ account, key, proof }: McpCaller, client: string | undefined, id: string): void {
    const use = { account, key, ...(client !== undefined && { client }) };
    const asked = this.rpc.withProof(proof).call(RecordMcpUse, use);
    asked.catch((error: unknown) => {
      this.log.debug({ err: error, key_id: key }, 'mcp.use_not_recorded');
      const told = this.#told.get(id);
      if (told?.client === client) this.#told.set(id, { at: -Infinity, client });
    });
  }
}
