import type { DeploymentId, DesiredState, ModelSource, ObservedState, StateReason } from '@slipway/contracts';
import type { Failure } from './failures.js';

/** What is written of a deployment's observed state. */
export interface WrittenState {
  readonly state: ObservedState;
  /** Revision that new requests go to; null while none was ready. */
  readonly serving: number | null;
  readonly reason: StateReason | null;
  readonly detail: string | null;
  readonly readyReplicas: number;
  readonly caps: readonly string[];
  readonly context: number | null;
  /** Agents whose runners get its requests, by name; null = all. */
  readonly agents: readonly string[] | null;
}

/** What one revision runs. */
export interface StoredRevision {
  readonly rev: number;
  readonly source: ModelSource;
  /** Sealed. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  /** Null = the service's default. */
  readonly threads: number | null;
  readonly defaultMaxTokens: number | null;
}

/** A stored revision with what this service found out about it. */
export interface Revision extends StoredRevision {
  /** Memory that one replica takes; 0 for an engine that computes elsewhere. */
  readonly bytes: number;
  /** The part of `bytes` that stays in the file cache. */
  readonly mapped: number;
  /** Why it cannot be handed to any agent; null when it can. */
  readonly fault: Failure | null;
}

/** A deployment as its owner wants it, with the revisions that matter and what was written of its state last. */
export interface TargetOf<R> {
  readonly dep: DeploymentId;
  readonly account: number;
  readonly desired: DesiredState;
  /** Newest revision: the one that is wanted. */
  readonly rev: number;
  /** Revision that new requests go to; null while none was ready. */
  readonly serving: number | null;
  readonly replicas: number;
  /** Rises when the owner asks for another try at once. */
  readonly tries: number;
  /** The newest, the one that serves, and one that served until a moment ago: requests sent to it may still arrive. */
  readonly revisions: readonly R[];
  readonly written: WrittenState;
}

export type StoredTarget = TargetOf<StoredRevision>;
export type Target = TargetOf<Revision>;
