import { Gauge, type Registry } from '../../metrics/metrics.js';
import type { TlsGuardOptions } from './tls-guard.js';

type Seen = NonNullable<TlsGuardOptions['seen']>;

/** Metrics of TLS with NATS in a registry. @returns takes what the guard of a connection saw */
export function tlsMetrics(registry: Registry): (connection: string, ...seen: Parameters<Seen>) => void {
  const refused = new Gauge({
    name: 'slipway_nats_tls_refused',
    help: 'Whether TLS with NATS fails, by the reason: 1 while it does.',
    labelNames: ['connection', 'reason'],
    registers: [registry],
  });
  const expiry = new Gauge({
    name: 'slipway_nats_certificate_expiry_seconds',
    help: 'When the certificate of a file expires, in seconds since 1970.',
    labelNames: ['file'],
    registers: [registry],
  });
  const last = new Map<string, string>();
  return (connection, trouble, expiries) => {
    const before = last.get(connection);
    if (before !== undefined && before !== trouble?.reason) refused.remove({ connection, reason: before });
    last.delete(connection);
    if (trouble) {
      refused.set({ connection, reason: trouble.reason }, 1);
      last.set(connection, trouble.reason);
    }
    for (const [file, end] of Object.entries(expiries)) expiry.set({ file }, end / 1_000);
  };
}
