/** A stored event, as far as folding needs it. */
export interface StoredState {
  readonly id: string;
  readonly kind: string;
  readonly state: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly firstAt: Date;
}

/** A failure that repeats an earlier one. */
export interface RepeatedFailure {
  /** Rows that the new one replaces: the earlier failure, and the retry in between. */
  readonly ids: readonly string[];
  /** How often it happened before. */
  readonly count: number;
  readonly firstAt: Date;
}

const RETRY_STATES: readonly (string | null)[] = ['loading', 'pending'];

/**
 * The failure that a new one with this reason repeats: the same reason, with nothing but retries since. Null for a new failure.
 * @param newest events of the deployment, newest first
 */
export function folded(newest: readonly StoredState[], reason: string | null): RepeatedFailure | null {
  const last = newest.findIndex(({ kind, state }) => kind !== 'state' || !RETRY_STATES.includes(state));
  const failure = newest[last];
  if (failure?.kind !== 'state' || failure.state !== 'failed' || failure.reason !== reason) return null;
  const { count, firstAt } = failure;
  return { ids: newest.slice(0, last + 1).map(({ id }) => id), count, firstAt };
}
