import type { CallFamily } from './call-family.js';
import { familyOf, type FamilyRow } from './family-engine.js';
import { JSON_FAMILIES } from './json-families.js';
import { LLAMA_JSON } from './llama-calls.js';
import { TAGGED_FAMILIES } from './tagged-families.js';

/** The table of families, more specific ones first, because several share a mark. */
export const FAMILY_ROWS: readonly FamilyRow[] = [...TAGGED_FAMILIES, ...JSON_FAMILIES];

/** Every family, in the same order. */
export const FAMILIES: readonly CallFamily[] = [...FAMILY_ROWS.map(familyOf), LLAMA_JSON];

/** The family of a chat template; null = unknown. */
export function detectFamily(template: string): CallFamily | null {
  return FAMILIES.find((family) => family.knows(template)) ?? null;
}

/** The family of this name. @throws Error for an unknown name. */
export function familyNamed(name: string): CallFamily {
  const family = FAMILIES.find((each) => each.name === name);
  if (family) return family;
  throw new Error(`No family of calls is named ${name}.`);
}
