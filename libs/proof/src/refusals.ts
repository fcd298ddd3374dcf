import { Counter, type Logger, type Registry } from '@slipway/platform';
import type { RefusedCall } from './rpc-gate.js';

/** A call that somebody proven was refused, and their own account. */
export type ProvenRefusal = Pick<RefusedCall, 'reason' | 'subject'> & NonNullable<RefusedCall['by']>;

/** Counts and logs the calls that a gate refuses. @param audit takes those of somebody proven; neither waits nor throws */
export function refusalCounter(
  metrics: Registry,
  log: Pick<Logger, 'warn'>,
  audit: (refusal: ProvenRefusal) => void,
): (refused: RefusedCall) => void {
  const counter = new Counter({
    name: 'slipway_rpc_refused_calls_total',
    help: 'Calls refused because who asks was not proven, or may not ask this.',
    labelNames: ['reason'] as const,
    registers: [metrics],
  });
  return ({ reason, subject, caller, by }) => {
    counter.inc({ reason });
    log.warn({ reason, subject, caller }, 'rpc.refused');
    if (by) audit({ reason, subject, ...by });
  };
}
