import type { Contract, Language } from './inference-snippets.js';

/** The contracts, as people choose one. */
export const CONTRACT_CHOICES: readonly { readonly value: Contract; readonly label: string; readonly short: string }[] = [
  { value: 'chat', label: 'Chat completions (OpenAI SDKs)', short: 'Chat completions' },
  { value: 'responses', label: 'Responses (Codex, agents SDKs, AI SDK)', short: 'Responses' },
  { value: 'messages', label: 'Messages (Anthropic SDKs)', short: 'Messages' },
];

/** The languages, as people choose one. */
export const LANGUAGE_CHOICES: readonly { readonly value: Language; readonly label: string }[] = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'typescript', label: 'TypeScript' },
];
