import type { LogLine } from '@slipway/contracts';

/** A line with the host that it comes from. */
export type HostLine = LogLine & { readonly host: string };

/** Bytes of all lines of one reply as JSON; the transport takes twice as much. */
const MAX_BYTES = 512 * 1_024;

/** The newest lines of several hosts, oldest first, as many as were asked for and fit. Each host's own order stays. */
export function newestLines(lines: readonly HostLine[], count: number): HostLine[] {
  const sorted = lines.toSorted((a, b) => a.at - b.at);
  const newest: HostLine[] = [];
  let bytes = 0;
  for (const line of sorted.slice(-count).reverse()) {
    bytes += Buffer.byteLength(JSON.stringify(line)) + 1;
    if (bytes > MAX_BYTES) break;
    newest.push(line);
  }
  return newest.reverse();
}
