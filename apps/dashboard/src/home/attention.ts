import type { DeploymentView, KeyView } from '@slipway/contracts';

const DAY_MS = 86_400_000;
/** Keys that end within this time are named, in milliseconds. */
const SOON_MS = 14 * DAY_MS;

/** Deployments that do not serve as they should, the worst first. */
export function needsAttention(deployments: readonly DeploymentView[]): readonly DeploymentView[] {
  const rank = (one: DeploymentView): number => {
    if (one.state === 'failed') return 0;
    if (one.state === 'degraded') return 1;
    if (one.state === 'pending') return 2;
    // An update that failed leaves the revision before serving.
    return one.reason !== null && one.serving_rev !== null && (one.serving_rev ?? one.rev) < one.rev ? 3 : 4;
  };
  return deployments.filter((one) => rank(one) < 4).toSorted((a, b) => rank(a) - rank(b));
}

/** Active keys that end within 14 days, the next one first. */
export function expiringSoon(keys: readonly KeyView[], now: number): readonly (KeyView & { readonly expires_at: string })[] {
  return keys
    .filter((key): key is KeyView & { expires_at: string } => {
      const at = key.state === 'active' && key.expires_at ? Date.parse(key.expires_at) : Number.NaN;
      return at > now && at - now <= SOON_MS;
    })
    .toSorted((a, b) => a.expires_at.localeCompare(b.expires_at));
}
