import { AccountId, FindAccount, ListDeployments, type RpcContract, isServiceError } from '@slipway/contracts';
import { type RpcClient, UnansweredError } from '@slipway/platform';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { ACCOUNT_SLUG } from './account.js';
import type { LaunchContext } from './launch-context.js';
import type { HttpAddress } from './services.js';
import { waitUntil } from './wait-until.js';

const READY_WITHIN_MS = 60_000;
const ASK_WITHIN_MS = 2_000;

/** A service that answers at all, with an error of its contract too, is there. */
async function answers(ask: Promise<unknown>): Promise<boolean> {
  try {
    await ask;
    return true;
  } catch (error) {
    if (error instanceof UnansweredError || !isServiceError(error)) return false;
    return error.code !== 'unavailable';
  }
}

const late = ({ dataDir }: LaunchContext, name: string): Error =>
  new StartError(`${name} is not ready after ${READY_WITHIN_MS / 1_000} s; see ${dataDir.logs}/${name}.log.`);

function waitForRpc(context: LaunchContext, name: string, ask: () => Promise<unknown>): Promise<boolean> {
  const options = { withinMs: READY_WITHIN_MS, timedOut: () => late(context, name), signal: context.signal };
  return waitUntil(() => answers(ask()), options);
}

/** Waits until keys-service and deployments-service answer over NATS. */
export async function waitForControlPlane(context: LaunchContext, rpc: RpcClient): Promise<void> {
  const account = AccountId.parse(1);
  const questions: [string, RpcContract, object][] = [
    ['keys-service', FindAccount, { slug: ACCOUNT_SLUG }],
    ['deployments-service', ListDeployments, { account }],
  ];
  await Promise.all(questions.map(([name, contract, request]) => waitForRpc(context, name, () => rpc.call(contract, request))));
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ASK_WITHIN_MS) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

const waitForStatus = (
  context: LaunchContext,
  { name, url }: HttpAddress,
  ask: () => Promise<number | null>,
  wanted: number,
): Promise<boolean> =>
  waitUntil(async () => (await ask()) === wanted, {
    withinMs: READY_WITHIN_MS,
    timedOut: () => late(context, `${name} (${url})`),
    signal: context.signal,
  });

/** Waits until every one of them takes requests. */
export async function waitForHttp(context: LaunchContext, addresses: readonly HttpAddress[]): Promise<void> {
  await Promise.all(addresses.map((address) => waitForStatus(context, address, () => statusOf(`${address.url}/readyz`), 200)));
}

/**
 * Waits until every gateway knows a new key and the alias that it is shown with: only then an
 * empty body is what is wrong with a request.
 */
export async function waitForKey(context: LaunchContext, gateways: readonly HttpAddress[], path: string, key: string): Promise<void> {
  const init = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: '{}' };
  await Promise.all(gateways.map((gateway) => waitForStatus(context, gateway, () => statusOf(`${gateway.url}${path}`, init), 400)));
}
