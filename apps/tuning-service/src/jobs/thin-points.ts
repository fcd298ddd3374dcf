import type { MetricPoint } from '@slipway/contracts';

/**
 * At most about `most` points of a curve: each bucket keeps its lowest and highest loss, every held-out measurement stays, and so do the
 * first and the last point.
 */
export function thinPoints(points: readonly MetricPoint[], most: number): MetricPoint[] {
  if (points.length <= most) return [...points];
  const fixed = points.filter(({ held_loss: held }) => held !== null).slice(-Math.floor(most / 2));
  const buckets = Math.max(1, Math.floor((most - fixed.length - 2) / 2));
  const size = Math.ceil(points.length / buckets);
  const kept = new Set<MetricPoint>(fixed);
  for (let from = 0; from < points.length; from += size) {
    const bucket = points.slice(from, from + size).filter(({ loss }) => loss !== null);
    const [first] = bucket;
    if (!first) continue;
    kept.add(bucket.reduce((low, one) => ((one.loss ?? 0) < (low.loss ?? 0) ? one : low), first));
    kept.add(bucket.reduce((high, one) => ((one.loss ?? 0) > (high.loss ?? 0) ? one : high), first));
  }
  for (const end of [points[0], points.at(-1)]) if (end) kept.add(end);
  return [...kept].toSorted((a, b) => a.step - b.step).slice(0, most);
}
