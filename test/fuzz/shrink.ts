import type { FuzzCase } from './fuzz-case.js';
import { placesOf, removed, replaced, valueAt } from './json-places.js';

const MAX_TRIES = 600;
/** What may stand for a value that does not matter. */
const PLAIN: readonly unknown[] = ['', 'x', 0, null, [], {}];

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/** Smaller documents, those with the most taken away first; made one by one, since a document may be large. */
function* smaller(document: unknown): Generator<unknown> {
  const places = placesOf(document)
    .slice(1)
    .map((place) => ({ place, size: sizeOf(valueAt(document, place)) }))
    .toSorted((a, b) => b.size - a.size);
  for (const { place } of places) yield removed(document, place);
  for (const { place, size } of places) {
    for (const plain of PLAIN) if (sizeOf(plain) < size) yield replaced(document, place, plain);
  }
}

/** The smallest request found that still fails; bodies that are no JSON stay as they are. */
export async function shrink(failing: FuzzCase, stillFails: (asked: FuzzCase) => Promise<boolean>): Promise<FuzzCase> {
  let best = failing;
  let document = parsed(failing.bytes);
  if (document === undefined) return failing;
  let tries = 0;
  for (let improved = true; improved;) {
    improved = false;
    for (const each of smaller(document)) {
      if ((tries += 1) > MAX_TRIES) return best;
      const asked = { ...failing, valid: false, bytes: Buffer.from(JSON.stringify(each)) };
      if (!(await stillFails(asked))) continue;
      best = asked;
      document = each;
      improved = true;
      break;
    }
  }
  return best;
}

/** The body, for messages. */
export const shown = (asked: FuzzCase): string => {
  const text = asked.bytes.toString('utf8');
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (${text.length} characters)` : text;
};
