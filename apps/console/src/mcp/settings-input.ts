import { z } from 'zod';

/** Arguments for how a deployment serves. */
export const settingsInput = {
  context_length: z.int().min(64).max(10_000_000).optional().describe('Tokens per request; the model’s own unless given.'),
  slots: z.int().min(1).max(1_024).optional().describe('Requests that one replica serves at once.'),
  replicas: z.int().min(1).max(64).optional().describe('On how many workers it runs.'),
  default_max_tokens: z.int().positive().optional().describe('Longest answer to requests that name no limit.'),
};
