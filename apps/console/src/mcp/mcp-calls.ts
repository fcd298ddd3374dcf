import { type AccountId, CLIENT_CHARS, type KeyId, MCP_CALLS_MAX, type McpCall, RecordMcpCalls } from '@slipway/contracts';
import type { Logger, RpcClient } from '@slipway/platform';
import type { McpCaller } from './mcp-key-check.js';

/** How long calls wait for others, in milliseconds. */
const GATHER_MS = 2_000;
/** Most keys with waiting calls; calls of further keys are not recorded. */
const KEYS_MAX = 1_000;

interface Waiting {
  readonly account: AccountId;
  readonly key: KeyId;
  /** Proof of the latest call: it lives longest. */
  proof: string;
  calls: McpCall[];
}

/**
 * Reports the calls of MCP tools to keys-service, those of two seconds together. No request waits for it. Of more than 100 calls
 * the newest are reported. A report that fails is not repeated.
 */
export class McpCallReports {
  readonly #waiting = new Map<KeyId, Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rpc: Pick<RpcClient, 'withProof'>,
    private readonly log: Pick<Logger, 'debug'>,
  ) {}

  /** Notes a finished call. */
  note({ account, key, proof }: McpCaller, { client, ...call }: McpCall): void {
    const waiting = this.#waiting.get(key) ?? { account, key, proof, calls: [] };
    if (!this.#waiting.has(key) && this.#waiting.size >= KEYS_MAX) return;
    this.#waiting.set(key, waiting);
    waiting.proof = proof;
    waiting.calls.push({ ...call, client: client?.slice(0, CLIENT_CHARS) || null });
    if (waiting.calls.length > MCP_CALLS_MAX) waiting.calls.shift();
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  /** Reports what waits. Never throws. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const reports = [...this.#waiting.values()];
    this.#waiting.clear();
    await Promise.all(reports.map((report) => this.#send(report)));
  }

  async #send({ proof, ...report }: Waiting): Promise<void> {
    try {
      await this.rpc.withProof(proof).call(RecordMcpCalls, report);
    } catch (error) {
      this.log.debug({ err: error, key_id: report.key }, 'mcp.calls_not_recorded');
    }
  }
}
