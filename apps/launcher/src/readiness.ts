import { setTimeout as delay } from 'node:timers/promises';
import { AccountId, FindAccount, isServiceError, ListDatasets, ListDeployments, type RpcContract } from '@slipway/contracts';
import { RpcClient, UnansweredError } from '@slipway/platform';
import type { z } from 'zod';
import { StartError } from '../../../scripts/lib/start-error.mjs';
import { ACCOUNT_SLUG } from './account.js';
import type { LaunchContext } from './launch-context.js';
import { CONTROL_PLANE, type HttpAddress } from './services.js';

/** Options of `waitUntil`; times in milliseconds. */
export interface WaitOptions {
  readonly everyMs?: number;
  readonly withinMs: number;
  /** Makes the error of a timeout. */
  readonly timedOut: () => Error;
  readonly signal: AbortSignal;
}

/**
 * Polls until the result is neither null nor false, and returns it.
 * @throws the error of `timedOut`, or the signal's reason when it is aborted
 */
export async function waitUntil<T>(poll: () => Promise<T | null | false>, options: WaitOptions): Promise<T> {
  const { everyMs = 50, withinMs, timedOut, signal } = options;
  const deadline = Date.now() + withinMs;
  for (;;) {
    signal.throwIfAborted();
    const result = await poll();
    if (result !== null && result !== false) return result;
    if (Date.now() > deadline) throw timedOut();
    await delay(everyMs, undefined, { signal });
  }
}

const READY_WITHIN_MS = 60_000;
const REQUEST_TIMEOUT_MS = 2_000;

/** True if a service replies, also with an error of its contract other than `unavailable`. */
async function isReachable(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof UnansweredError || !isServiceError(error)) return false;
    return error.code !== 'unavailable';
  }
}

const late = ({ dataDir }: LaunchContext, what: string, process: string): Error =>
  new StartError(`${what} is not ready after ${READY_WITHIN_MS / 1_000} s; see ${dataDir.logs}/${process}.log.`);

function waitForRpc(context: LaunchContext, name: string, call: () => Promise<unknown>): Promise<boolean> {
  const options = { withinMs: READY_WITHIN_MS, timedOut: () => late(context, name, CONTROL_PLANE), signal: context.signal };
  return waitUntil(() => isReachable(call()), options);
}

const ANSWER_WITHIN_MS = 30_000;

/**
 * Waits up to 30 s for each answer, since services that start on an overloaded machine answer late. A start that gives up on
 * a call cannot know what was done, so it can neither go on nor call again.
 */
export class PatientClient extends RpcClient {
  /** As the base class does, with 30 s in place of a shorter timeout of the contract. */
  override call<C extends RpcContract>(
    contract: C,
    request: z.input<C['request']>,
    tokens?: Readonly<Record<string, string>>,
  ): Promise<z.output<C['reply']>> {
    return super.call<C>({ ...contract, timeoutMs: Math.max(contract.timeoutMs, ANSWER_WITHIN_MS) }, request, tokens);
  }
}

/** True after a call that changed nothing: a service answered that it is too busy, or no process was there to receive it. */
const changedNothing = (error: unknown): error is Error =>
  isServiceError(error) && error.code === 'unavailable' && !(error instanceof UnansweredError && error.reason !== 'absent');

/**
 * Takes a step of the start, again while a service is absent or too busy for it, as on an overloaded machine.
 * @param options `repeatable`: the step finds what it did before, so it is also taken again without an answer.
 * @throws the last refusal after 60 s, every other error of the step at once, and the signal's reason when it is aborted
 */
export async function onceServed<T>(
  { signal }: Pick<LaunchContext, 'signal'>,
  step: () => Promise<T>,
  { repeatable = false }: { readonly repeatable?: boolean } = {},
): Promise<T> {
  let refusal = new Error('It was not tried.');
  const attempt = async (): Promise<{ readonly result: T } | null> => {
    try {
      return { result: await step() };
    } catch (error) {
      if (!changedNothing(error) && !(repeatable && error instanceof UnansweredError)) throw error;
      refusal = error;
      return null;
    }
  };
  const { result } = await waitUntil(attempt, { everyMs: 500, withinMs: READY_WITHIN_MS, timedOut: () => refusal, signal });
  return result;
}

/** Waits until keys-service, deployments-service and tuning-service reply over NATS. */
export async function waitForControlPlane(context: LaunchContext, rpc: RpcClient): Promise<void> {
  const account = AccountId.parse(1);
  const calls: [string, RpcContract, object][] = [
    ['keys-service', FindAccount, { slug: ACCOUNT_SLUG }],
    ['deployments-service', ListDeployments, { account }],
  ];
  if (context.stage.options.tuning) calls.push(['tuning-service', ListDatasets, { account }]);
  await Promise.all(calls.map(([name, contract, request]) => waitForRpc(context, name, () => rpc.call(contract, request))));
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number | null> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

const waitForStatus = (
  context: LaunchContext,
  { name, url }: HttpAddress,
  status: () => Promise<number | null>,
  wanted: number,
): Promise<boolean> =>
  waitUntil(async () => (await status()) === wanted, {
    withinMs: READY_WITHIN_MS,
    timedOut: () => late(context, `${name} (${url})`, name),
    signal: context.signal,
  });

/** Waits until every address is ready. */
export async function waitForHttp(context: LaunchContext, addresses: readonly HttpAddress[]): Promise<void> {
  await Promise.all(addresses.map((address) => waitForStatus(context, address, () => statusOf(`${address.url}/readyz`), 200)));
}

/**
 * Waits until every gateway knows a new key and the deployment it is shown with, at `path`. The list of models is asked for, which
 * counts as no request: the first one in the console is the owner's.
 */
export async function waitForKey(context: LaunchContext, gateways: readonly HttpAddress[], path: string, key: string): Promise<void> {
  const init = { headers: { authorization: `Bearer ${key}` } };
  await Promise.all(
    gateways.map((gateway) => waitForStatus(context, gateway, () => statusOf(`${gateway.url}/${path}/v1/models`, init), 200)),
  );
}
