import type { DeploymentId, DesiredState, ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import type { Failure } from './failures.js';

/** What is written of a deployment's observed state. */
export interface WrittenState {
  readonly state: ObservedState;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly readyReplicas: number;
  readonly caps: readonly string[];
  readonly context: number | null;
}

/** A deployment as its owner wants it, with the newest revision and what was written of its state last. */
export interface StoredTarget {
  readonly dep: DeploymentId;
  readonly account: number;
  readonly desired: DesiredState;
  readonly rev: number;
  readonly replicas: number;
  readonly source: ModelSource;
  /** Sealed. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  readonly defaultMaxTokens: number | null;
  readonly written: WrittenState;
}

/** A stored target with what this service found out about it. */
export interface Target extends StoredTarget {
  /** Memory that one replica takes; 0 for HTTP engines. */
  readonly bytes: number;
  /** The part of `bytes` that stays in the file cache. */
  readonly mapped: number;
  /** Why it cannot be handed to any agent; null when it can. */
  readonly fault: Failure | null;
}
