import { type OrphanUsage, UsageOrphaned } from '@slipway/contracts';
import type { ReadClaim, StreamClaims } from '@slipway/platform';
import { CLOCK_SKEW_MS, REQUEST_DAYS } from './entry.js';
import type { RejectedUsage } from './rejected-usage.repository.js';

const DAY_MS = 86_400_000;
/** How long after its start a stream's count is accepted: a day less than the ledger remembers which streams it counted. */
const ORPHAN_MS = (REQUEST_DAYS - 1) * DAY_MS;

/** Counts of workers, by whether a gateway claimed their streams. */
interface CheckedOrphans {
  readonly accepted: readonly OrphanUsage[];
  readonly rejected: readonly RejectedUsage[];
}

/** When claims are checked. */
export interface ClaimOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether claims without a time are valid: those of gateways of the previous release, during an upgrade. */
  readonly acceptsUntimed: boolean;
}

/**
 * Accepts a worker's count only for a stream that a gateway opened for this account, key and deployment, up to what that stream can
 * have used, and at the time at which it began. So a worker can put no tokens on another key, and no stream is counted again after
 * the ledger has forgotten it.
 */
export function checkClaims(claims: StreamClaims, orphans: readonly OrphanUsage[], options: ClaimOptions): CheckedOrphans {
  const accepted: OrphanUsage[] = [];
  const rejected: RejectedUsage[] = [];
  for (const orphan of orphans) {
    const { st, gw, acct: account, key, dep: deployment, claim } = orphan;
    const read = claim === undefined ? null : claims.check(claim, { st, gw, account, key, deployment });
    const reason = rejection(claim, read, options);
    if (read && reason === null) accepted.push(clampToClaim(read, orphan, options.now));
    else rejected.push({ subject: UsageOrphaned.subject, why: 'unclaimed', reason: reason ?? '', record: orphan });
  }
  return { accepted, rejected };
}

/** Why a claim is not valid; null for a valid one. */
function rejection(claim: string | undefined, read: ReadClaim | null, { now, acceptsUntimed }: ClaimOptions): string | null {
  if (claim === undefined) return 'It has no claim of a gateway.';
  if (!read) return 'Its claim is not that of a gateway for this stream.';
  if (read.started === null) return acceptsUntimed ? null : 'Its claim does not say when the stream began.';
  if (read.started > now + CLOCK_SKEW_MS) return 'It begins in the future.';
  return read.started < now - ORPHAN_MS ? 'It began too long ago.' : null;
}

/** Limits a count to what its claim allows. For a claim without a time, the worker's own time is used, of the last day at most. */
function clampToClaim(read: ReadClaim, orphan: OrphanUsage, now: number): OrphanUsage {
  const started = read.started ?? Math.max(orphan.started, now - DAY_MS);
  const timed = { ...orphan, started, ms: Math.min(orphan.ms, Math.max(0, now - started)) };
  if (orphan.prompt <= read.prompt && orphan.completion <= read.completion) return timed;
  const prompt = Math.min(orphan.prompt, read.prompt);
  const completion = Math.min(orphan.completion, read.completion);
  return { ...timed, prompt, completion, cached: Math.min(orphan.cached, prompt), estimated: true };
}
