import type { DeploymentView } from '@slipway/contracts';

type Facts = Pick<DeploymentView, 'slots' | 'replicas' | 'ready_replicas' | 'rev' | 'serving_rev'>;

/**
 * How many requests are served at once, of how many it is configured for. The first is left out while
 * an older revision serves: its slots may be others.
 */
export function slotsText({ slots, replicas, ready_replicas: ready, rev, serving_rev: serving }: Facts): string {
  if (slots === undefined) return '–';
  const wanted = slots * replicas;
  return ready > 0 && serving != null && serving !== rev ? String(wanted) : `${slots * ready} of ${wanted}`;
}

/** How many replicas answer; null where there is one, of which the slots tell as much. */
export const replicasText = ({ replicas, ready_replicas: ready }: Facts): string | null =>
  replicas === 1 ? null : `${ready} of ${replicas} replicas`;
