import { type OrphanUsage, UsageOrphaned } from '@slipway/contracts';
import type { ReadClaim, StreamClaims } from '@slipway/platform';
import { CLOCKS_DIFFER_MS, REQUEST_DAYS } from './entry.js';
import type { RejectedUsage } from './rejected-usage.repository.js';

const DAY_MS = 86_400_000;
/** A count is taken for streams that began since: a day before the ledger forgets that it has counted them. */
const ORPHAN_MS = (REQUEST_DAYS - 1) * DAY_MS;

/** Counts of workers, by whether a gateway claimed their streams. */
interface Checked {
  readonly believed: readonly OrphanUsage[];
  readonly rejected: readonly RejectedUsage[];
}

/** When claims are read. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether claims count that say no time: those of gateways of the release before, while a fleet is upgraded. */
  readonly isUntimedRead: boolean;
}

/**
 * A worker's count is believed only for a stream that a gateway opened for this account, key and deployment, up to what that
 * stream can have used, and for the time at which it began: a worker hears of streams, and no credential of it may put tokens on
 * anybody's key, nor count a stream again once the ledger has forgotten it.
 */
export function claimed(claims: StreamClaims, orphans: readonly OrphanUsage[], reading: Reading): Checked {
  const believed: OrphanUsage[] = [];
  const rejected: RejectedUsage[] = [];
  for (const orphan of orphans) {
    const { st, gw, acct: account, key, dep: deployment, claim } = orphan;
    const read = claim === undefined ? null : claims.check(claim, { st, gw, account, key, deployment });
    const reason = fault(claim, read, reading);
    if (read && reason === null) believed.push(within(read, orphan, reading.now));
    else rejected.push({ subject: UsageOrphaned.subject, why: 'unclaimed', reason: reason ?? '', record: orphan });
  }
  return { believed, rejected };
}

/** Why a claim does not count; null where it does. */
function fault(claim: string | undefined, read: ReadClaim | null, { now, isUntimedRead }: Reading): string | null {
  if (claim === undefined) return 'It has no claim of a gateway.';
  if (!read) return 'Its claim is not that of a gateway for this stream.';
  if (read.started === null) return isUntimedRead ? null : 'Its claim does not say when the stream began.';
  if (read.started > now + CLOCKS_DIFFER_MS) return 'It begins in the future.';
  return read.started < now - ORPHAN_MS ? 'It began too long ago.' : null;
}

/** The count as far as the claim bears it out. Without a time in the claim, the worker's word is good for the last day. */
function within(read: ReadClaim, orphan: OrphanUsage, now: number): OrphanUsage {
  const started = read.started ?? Math.max(orphan.started, now - DAY_MS);
  const timed = { ...orphan, started, ms: Math.min(orphan.ms, Math.max(0, now - started)) };
  if (orphan.prompt <= read.prompt && orphan.completion <= read.completion) return timed;
  const prompt = Math.min(orphan.prompt, read.prompt);
  const completion = Math.min(orphan.completion, read.completion);
  return { ...timed, prompt, completion, cached: Math.min(orphan.cached, prompt), estimated: true };
}
