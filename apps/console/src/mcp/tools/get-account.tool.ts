import { Limits } from '@slipway/contracts';
import { z } from 'zod';
import { defineTool, READS } from '../mcp-tool.js';

export const getAccount = defineTool({
  name: 'get_account',
  title: 'Show the account',
  description: 'Shows the account and environment of this key, the address of its deployments, and where people manage keys.',
  hints: READS,
  input: z.object({}),
  output: z.object({
    account_slug: z.string(),
    environment: z.string(),
    base_url: z.string().describe('Base address of the inference API.'),
    console_url: z.string(),
    limits: Limits.describe('What all keys of the account may use together; absent ones do not hold.'),
    key_id: z.int().describe('Number of the MCP key in the audit log.'),
  }),
  run: (_input, { caller, addresses }) =>
    Promise.resolve({
      account_slug: caller.slug,
      environment: addresses.environment,
      base_url: addresses.gatewayUrl,
      console_url: addresses.consoleUrl,
      limits: caller.limits,
      key_id: caller.key,
    }),
});
