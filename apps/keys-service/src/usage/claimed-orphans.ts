import { type OrphanUsage, UsageOrphaned } from '@slipway/contracts';
import type { StreamClaims } from '@slipway/platform';
import type { RejectedUsage } from './rejected-usage.repository.js';

/** Counts of workers, by whether a gateway claimed their streams. */
interface Checked {
  readonly believed: readonly OrphanUsage[];
  readonly rejected: readonly RejectedUsage[];
}

/**
 * A worker's count is believed only for a stream that a gateway opened for this account, key and deployment, and up to what that
 * stream can have used: a worker hears of streams, and no credential of it may put tokens on anybody's key.
 */
export function claimed(claims: StreamClaims, orphans: readonly OrphanUsage[]): Checked {
  const believed: OrphanUsage[] = [];
  const rejected: RejectedUsage[] = [];
  for (const orphan of orphans) {
    const { st, gw, acct: account, key, dep: deployment, claim } = orphan;
    const bounds = claim === undefined ? null : claims.check(claim, { st, gw, account, key, deployment });
    if (bounds) believed.push(within(bounds, orphan));
    else rejected.push({ subject: UsageOrphaned.subject, why: 'unclaimed', reason: reasonOf(claim), record: orphan });
  }
  return { believed, rejected };
}

const reasonOf = (claim: string | undefined): string =>
  claim === undefined ? 'It has no claim of a gateway.' : 'Its claim is not that of a gateway for this stream.';

function within(bounds: { readonly prompt: number; readonly completion: number }, orphan: OrphanUsage): OrphanUsage {
  if (orphan.prompt <= bounds.prompt && orphan.completion <= bounds.completion) return orphan;
  const prompt = Math.min(orphan.prompt, bounds.prompt);
  const completion = Math.min(orphan.completion, bounds.completion);
  return { ...orphan, prompt, completion, cached: Math.min(orphan.cached, prompt), estimated: true };
}
