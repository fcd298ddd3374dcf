import { type AccountId, type ConsoleStatus, isServiceError, ListAliases, ListSessionKeys } from '@slipway/contracts';
import { type RpcClient, UnansweredError } from '@slipway/platform';

/** How long an observation is shown, in milliseconds. */
const KNOWN_MS = 5_000;
/** How long a gateway may take, in milliseconds. */
const GATEWAY_MS = 2_000;

/** How a service met a call: a refusal shows that it works, too. */
type Sign = 'answers' | 'fails' | 'disconnected';

const signOf = (call: Promise<unknown>): Promise<Sign> =>
  call.then(
    () => 'answers',
    (error: unknown) => {
      if (error instanceof UnansweredError) return error.reason === 'disconnected' ? 'disconnected' : 'fails';
      return isServiceError(error) && error.code !== 'unavailable' && error.code !== 'internal' ? 'answers' : 'fails';
    },
  );

/** Finds out which parts of Slipway answer this console. All pages share one observation of at most five seconds. */
export class ServiceStatus {
  readonly #gateway: string;
  #known: { readonly at: number; readonly status: Promise<ConsoleStatus> } | undefined;

  /** @param gateway address of the inference API; @param now milliseconds */
  constructor(
    gateway: string,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#gateway = gateway.replace(/\/+$/, '');
  }

  /** @param rpc calls as the person who asks, in their account, unless somebody asked just now */
  read(rpc: Pick<RpcClient, 'call'>, account: AccountId): Promise<ConsoleStatus> {
    if (!this.#known || this.now() - this.#known.at >= KNOWN_MS) this.#known = { at: this.now(), status: this.#observe(rpc, account) };
    return this.#known.status;
  }

  async #observe(rpc: Pick<RpcClient, 'call'>, account: AccountId): Promise<ConsoleStatus> {
    const at = new Date().toISOString();
    const [keys, deployments, gateways] = await Promise.all([
      signOf(rpc.call(ListSessionKeys, {})),
      signOf(rpc.call(ListAliases, { account })),
      this.#gatewayAnswers(),
    ]);
    const isConnected = keys !== 'disconnected' && deployments !== 'disconnected';
    return { at, nats: isConnected, keys: keys === 'answers', deployments: deployments === 'answers', gateways };
  }

  async #gatewayAnswers(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#gateway}/readyz`, { signal: AbortSignal.timeout(GATEWAY_MS) });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}
