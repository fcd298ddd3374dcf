import { LOG_RING_LINES, logLineText, ReadLog } from '@slipway/contracts';
import { z } from 'zod';
import { LINES_MAX, pickLines } from '../log-lines.js';
import { defineTool, READS } from '../mcp-tool.js';
import { DeploymentRef, deploymentIdOf } from '../deployment-reference.js';

export const getDeploymentLogs = defineTool({
  name: 'get_deployment_logs',
  title: 'Read the log of a deployment',
  description:
    'Reads the engine’s log of a deployment over all its workers, oldest line first: the newest lines, or those since a moment or a cursor. It holds no prompts and no answers.',
  hints: READS,
  input: z.object({
    slug: DeploymentRef,
    since: z.iso.datetime({ offset: true }).optional().describe('Only lines from this moment on, like 2026-01-31T12:00:00Z.'),
    contains: z.string().min(1).max(200).optional().describe('Only lines with this text, in any case.'),
    cursor: z.string().max(200).optional().describe('next_cursor of an earlier call: only lines after those that it gave.'),
    limit: z.int().min(1).max(LINES_MAX).optional().describe('Lines of one response, 100 unless given.'),
  }),
  output: z.object({
    lines: z.array(z.object({ at: z.string(), host: z.string(), revision: z.int(), text: z.string() })),
    next_cursor: z.string().optional().describe('For lines after these, also those that are yet to be written.'),
    silent_hosts: z.array(z.string()).describe('Workers that did not reply; their lines are missing.'),
  }),
  run: async ({ slug, ...asked }, call) => {
    const deployment = await deploymentIdOf(slug, call);
    const { lines, silent } = await call.rpc.call(ReadLog, { account: call.caller.account, deployment, lines: LOG_RING_LINES });
    const { picked, cursor } = pickLines(lines, asked);
    return {
      lines: picked.map((line) => ({ at: new Date(line.at).toISOString(), host: line.host, revision: line.rev, text: logLineText(line) })),
      ...(cursor !== undefined && { next_cursor: cursor }),
      silent_hosts: silent,
    };
  },
});
