import type { AgentHeartbeat } from '@slipway/contracts';
import { inParts } from '@slipway/platform';

/** Bytes of lists in a part: a message of this size is read in a few milliseconds. */
const PART_BYTES = 256 * 1_024;

/**
 * A report as texts, each of which one message can hold: one without `part` where everything fits, as services of before 2027
 * know it, else a series.
 * @param no number of the series.
 * @param bytesMax of a message.
 */
export function heartbeatTexts(heartbeat: AgentHeartbeat, no: number, bytesMax: number): string[] {
  const { loads, cached, ...facts } = heartbeat;
  const room = Math.min(PART_BYTES, bytesMax - Buffer.byteLength(JSON.stringify(facts)) - 256);
  // Loads are JSON objects and addresses JSON strings, so the first character distinguishes them.
  const parts = inParts(
    [...loads, ...cached].map((entry) => JSON.stringify(entry)),
    room,
  );
  const of = Math.max(1, parts.length);
  return Array.from({ length: of }, (_, i) => {
    const entries = parts[i] ?? [];
    const lists = `"cached":[${entries.filter((text) => text.startsWith('"')).join(',')}],"loads":[${entries.filter((text) => text.startsWith('{')).join(',')}]`;
    const part = of === 1 ? '' : `,"part":${JSON.stringify({ no, i, of })}`;
    return `${JSON.stringify(facts).slice(0, -1)},${lists}${part}}`;
  });
}
