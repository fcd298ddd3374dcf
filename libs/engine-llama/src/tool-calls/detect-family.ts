import type { CallFamily } from './call-family.js';
import { DEEPSEEK, DEEPSEEK_FENCED } from './deepseek-calls.js';
import { GLM } from './glm-calls.js';
import { HERMES } from './hermes-calls.js';
import { COMMAND, GRANITE, PHI } from './list-calls.js';
import { LLAMA_JSON } from './llama-calls.js';
import { MISTRAL, MISTRAL_NAMED } from './mistral-calls.js';
import { QWEN_XML } from './qwen-xml-calls.js';

/** The more telling first: several families share a mark. */
const FAMILIES: readonly CallFamily[] = [
  QWEN_XML,
  GLM,
  DEEPSEEK_FENCED,
  DEEPSEEK,
  MISTRAL_NAMED,
  MISTRAL,
  COMMAND,
  PHI,
  GRANITE,
  HERMES,
  LLAMA_JSON,
];

/** The family whose calls a chat template shows; null = none that is known. */
export function detectFamily(template: string): CallFamily | null {
  return FAMILIES.find((family) => family.knows(template)) ?? null;
}

/** @throws Error for a name that no family has. */
export function familyNamed(name: string): CallFamily {
  const family = FAMILIES.find((each) => each.name === name);
  if (family) return family;
  throw new Error(`No family of calls is named ${name}.`);
}
