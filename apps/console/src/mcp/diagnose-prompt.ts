import { completable, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ToolCall } from './mcp-tool.js';
import { slugsLike } from './slug-completion.js';

const textFor = (slug: string): string =>
  [
    `Find out how ${slug} is doing and report it in a few sentences.`,
    'Read get_deployment first; where it is not ready, read get_deployment_logs and name the cause in its own words.',
    'Read get_usage of the last day for it, split by status, and name errors that repeat.',
    'Say what would repair it. Change nothing without being told to.',
  ].join('\n');

/** Offers people the one question that they ask most. */
export function registerDiagnosePrompt(server: McpServer, call: Pick<ToolCall, 'rpc' | 'caller'>): void {
  const slug = completable(z.string().min(1).max(110).describe('Slug or alias of the deployment.'), (value) => slugsLike(value, call));
  server.registerPrompt(
    'diagnose_deployment',
    { title: 'Diagnose a deployment', description: 'Finds out how a deployment is doing, and why.', argsSchema: z.object({ slug }) },
    (asked) => ({ messages: [{ role: 'user', content: { type: 'text', text: textFor(asked.slug) } }] }),
  );
}
