import type { Logger } from '@slipway/platform';
import { Counter, type Registry } from '@slipway/platform/metrics';
import type { RefusedCall } from './rpc-gate.js';

/** Counts and logs refused calls. @param audit gets each of them; neither waits nor throws */
export function refusalCounter(
  metrics: Registry,
  log: Pick<Logger, 'warn'>,
  audit: (refusal: RefusedCall) => void,
): (refused: RefusedCall) => void {
  const counter = new Counter({
    name: 'slipway_rpc_refused_calls_total',
    help: 'Calls refused because who asks was not proven, or may not ask this.',
    labelNames: ['reason'] as const,
    registers: [metrics],
  });
  return (refused) => {
    const { reason, subject, caller } = refused;
    counter.inc({ reason });
    log.warn({ reason, subject, caller }, 'rpc.refused');
    audit(refused);
  };
}
