import { setTimeout as delay } from 'node:timers/promises';
import { type DeploymentId, type DeploymentView, type StateReason, deploymentSlug, engineOf } from '@slipway/contracts';
import { allDeployments } from '@slipway/platform';
import { Option } from 'commander';
import { z } from 'zod';
import { CliError, UsageError } from '../cli-errors.js';
import type { Account, Session } from '../session/session.js';
import { whole } from '../values.js';
import { stateText } from './deployment-text.js';

const ASK_EACH_MS = 300;
const DEFAULT_TIMEOUT_S = 600;
const TimeoutSeconds = z.int().min(1).max(86_400);

/** Options of commands whose effect takes time. */
export const WAIT_OPTIONS = [
  new Option('--wait', 'waits until it is done, and fails with the reason if it cannot be'),
  new Option('--timeout <SECONDS>', `how long --wait waits (default: ${DEFAULT_TIMEOUT_S})`).argParser(whole(TimeoutSeconds)),
];

/** Values of `WAIT_OPTIONS`. */
export interface WaitValues {
  readonly wait?: true;
  readonly timeout?: number;
}

/** How long to wait, in milliseconds; null = not at all. @throws UsageError */
export function waitOf({ wait, timeout }: WaitValues): number | null {
  if (wait) return (timeout ?? DEFAULT_TIMEOUT_S) * 1_000;
  if (timeout !== undefined) throw new UsageError('--timeout needs --wait.');
  return null;
}

/** Whether a wait has succeeded, cannot succeed, or goes on (null). */
export type Verdict = 'done' | 'failed' | null;
export type Goal = (view: DeploymentView) => Verdict;

/** Reasons that pass once a worker is added or another deployment frees room. */
const MAY_PASS: ReadonlySet<StateReason> = new Set(['no_worker', 'no_capacity']);

/** Replicas that have to answer: of an engine that scales by itself one is enough. */
const neededReplicas = ({ source, replicas }: DeploymentView): number => (engineOf(source).scalesItself ? 1 : replicas);

/** All replicas of the newest revision answer. */
export const untilReady: Goal = (view) => {
  const serves = view.serving_rev === undefined || view.serving_rev === view.rev;
  if (view.state === 'ready' && serves && view.ready_replicas >= neededReplicas(view)) return 'done';
  if (view.state === 'failed' || view.desired === 'stopped') return 'failed';
  return view.state === 'degraded' && view.reason !== null && !MAY_PASS.has(view.reason) ? 'failed' : null;
};

/** No replica runs. */
export const untilStopped: Goal = ({ state }) => (state === 'stopped' ? 'done' : null);

export interface AwaitedDeployment {
  readonly account: Account;
  readonly id: DeploymentId;
  /** How it was before the command; absent where it did not exist. */
  readonly before?: DeploymentView;
}

/** How long a failure may date from before the command, in milliseconds. */
const STALE_FOR_MS = 5_000;

/** Whether a failure may still be the former revision's: it was there before the command and is recent. */
export const isStale = (view: DeploymentView, before: DeploymentView | undefined, waitedMs: number): boolean =>
  before !== undefined && waitedMs < STALE_FOR_MS && stateText(view) === stateText(before);

const isUnanswered = (error: unknown): boolean => error instanceof CliError && error.code === 'unavailable';

/** Null while the service does not answer: it may be restarting. */
async function look(session: Session, { account, id }: AwaitedDeployment): Promise<DeploymentView | null> {
  try {
    const { deployments } = await allDeployments(session, account.id);
    const found = deployments.find((one) => one.id === id);
    if (!found) throw new CliError('deployment_not_found', 'The deployment was deleted meanwhile.');
    return found;
  } catch (error) {
    if (isUnanswered(error)) return null;
    throw error;
  }
}

const UNANSWERED = 'deployments-service does not answer';
const textOf = (view: DeploymentView | null): string => (view ? stateText(view) : UNANSWERED);

function failure(code: string, what: string, id: DeploymentId, view: DeploymentView | null): CliError {
  const facts = { deployment: deploymentSlug(id), ...(view && { state: view.state }), ...(view?.reason && { reason: view.reason }) };
  return new CliError(code, `${deploymentSlug(id)} ${what}: ${textOf(view).replace(/\.$/, '')}.`, facts);
}

/**
 * Waits until a deployment has reached its goal, with its state on stderr.
 * @throws CliError `deployment_failed` or `timeout`, with the reason that the service gives
 */
export async function waitFor(session: Session, deployment: AwaitedDeployment, goal: Goal, withinMs: number): Promise<DeploymentView> {
  const { id, before } = deployment;
  const since = Date.now();
  for (;;) {
    const view = await look(session, deployment);
    session.terminal.status(`${deploymentSlug(id)}: ${textOf(view)}`);
    const waitedMs = Date.now() - since;
    const verdict = view && goal(view);
    if (view && verdict === 'done') {
      session.terminal.clearStatus();
      return view;
    }
    if (view && verdict === 'failed' && !isStale(view, before, waitedMs)) {
      throw failure('deployment_failed', 'does not come up', id, view);
    }
    if (waitedMs > withinMs) throw failure('timeout', `is not there after ${withinMs / 1_000} s`, id, view);
    await delay(ASK_EACH_MS);
  }
}
