import { taskOf } from '@slipway/contracts/engines';
import type { Contract } from '../snippets/inference-snippets.js';

/** Settings of a request as they stand in the panel. null or empty = not sent: the deployment's own default holds. */
export interface Settings {
  readonly contract: Contract;
  readonly system: string;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly maxTokens: number | null;
  readonly seed: number | null;
  /** One in each line. */
  readonly stop: string;
  readonly form: 'text' | 'json_object' | 'json_schema';
  readonly schema: string;
  readonly tools: string;
  readonly toolChoice: 'auto' | 'required' | 'none';
  readonly reasoning: 'default' | 'off' | 'low' | 'medium' | 'high';
}

export const FIRST_SETTINGS: Settings = {
  contract: 'chat',
  system: '',
  temperature: null,
  topP: null,
  maxTokens: null,
  seed: null,
  stop: '',
  form: 'text',
  schema: '',
  tools: '',
  toolChoice: 'auto',
  reasoning: 'default',
};

/** A tool, in no contract's form. */
export interface Tool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: object;
}

/** What of the settings a request asks for; absent = nothing. */
export interface Wishes {
  readonly system?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly form?: { readonly schema: object | null };
  readonly tools?: readonly Tool[];
  readonly toolChoice?: 'required' | 'none';
  readonly reasoning?: 'off' | 'low' | 'medium' | 'high';
}

export type SettingsField = keyof Settings;
export type Faults = Partial<Record<SettingsField, string>>;

/** Parameters that not every deployment and contract has. */
export type Parameter = 'seed' | 'stop' | 'json_object' | 'json_schema' | 'tools' | 'tool_choice' | 'reasoning';

/** Parameters that a contract does not have. */
const LACKING: Readonly<Record<Contract, { readonly title: string; readonly parameters: readonly Parameter[] }>> = {
  chat: { title: 'Chat completions', parameters: [] },
  responses: { title: 'Responses', parameters: ['seed', 'stop'] },
  messages: { title: 'Messages', parameters: ['seed', 'json_object'] },
};

/** Why a parameter cannot be set; null = it can. @param caps of each deployment that is asked */
export function hindranceOf(parameter: Parameter, contract: Contract, caps: readonly (readonly string[])[]): string | null {
  const { title, parameters } = LACKING[contract];
  if (parameters.includes(parameter)) return `Not part of the ${title} contract.`;
  // Every engine ends at stop sequences.
  if (parameter === 'stop') return null;
  if (caps.length > 0 && caps.every((one) => one.includes(parameter))) return null;
  return caps.length > 1 ? 'Not supported by both deployments.' : 'Not supported by this deployment.';
}

/** Why deployments with these capabilities cannot be talked to; null = they can. */
export function lockOf(caps: readonly (readonly string[])[]): string | null {
  if (!caps.some((one) => taskOf(one) === 'embeddings')) return null;
  const which = caps.length === 1 ? 'This deployment' : 'One of these deployments';
  return `${which} makes embeddings and answers no conversations. Its page has the code that calls it.`;
}
