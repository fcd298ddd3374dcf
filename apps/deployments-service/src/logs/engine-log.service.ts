import { AccountTransactions } from '@slipway/database';
import { Inject, Injectable } from '@nestjs/common';
import { type AgentHeartbeat, type Incarnation, type LogLine, logLineFilter, ReadAgentLog, type ReadLog } from '@slipway/contracts';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { AgentTable } from '../agents/agent-table.js';
import { deploymentNotFound, DeploymentsRepository } from '../deployments/deployments.repository.js';
import { isAssignedTo } from '../placement/assigned-units.js';
import { type LogCursor, logCursorText, parseLogCursor, type ReadTo } from './log-cursor.js';
import { loadsOf } from '../placement/unit.js';

/** A log line with its host and agent. */
export type HostLine = LogLine & { readonly host: string; readonly agent?: Incarnation };

/** Most bytes of the lines of one reply as JSON; a message may have twice as many. */
const MAX_BYTES = 512 * 1_024;

/** The newest `count` lines of several hosts, or as many as fit, oldest first. Lines of one host keep their order. */
export function newestLines(lines: readonly HostLine[], count: number): HostLine[] {
  const sorted = lines.toSorted((a, b) => a.at - b.at);
  const newest: HostLine[] = [];
  let bytes = 0;
  for (const line of sorted.slice(-count).reverse()) {
    bytes += Buffer.byteLength(JSON.stringify(line)) + 1;
    if (bytes > MAX_BYTES) break;
    newest.push(line);
  }
  return newest.reverse();
}

type Request = z.output<typeof ReadLog.request>;

/** The new lines of one agent; null when it sends no valid reply. */
interface AgentReply {
  readonly agent: AgentHeartbeat;
  readonly readTo: ReadTo | undefined;
  readonly lines: readonly LogLine[] | null;
}

/** Lines without numbers, of older agents, are told apart by their times. */
const isNew = ({ no, at }: LogLine, readTo: ReadTo | undefined): boolean =>
  readTo === undefined || (no === undefined ? at > readTo.at : no > readTo.no);

function cursorAfter(replies: readonly AgentReply[]): LogCursor {
  const entries = replies.flatMap(({ agent, readTo, lines }): [string, ReadTo][] => {
    if (lines === null || lines.length === 0) return readTo ? [[agent.wk, readTo]] : [];
    return [[agent.wk, { no: Math.max(...lines.map(({ no = 0 }) => no)), at: Math.max(...lines.map(({ at }) => at)) }]];
  });
  return new Map(entries);
}

const DEFAULT_LINES = 200;

/** Reads engine logs, which the agents keep. */
@Injectable()
export class EngineLogService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly agents: AgentTable,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /** Reads from every agent, also from those that run no replica now: one of them may hold the lines of a failed load. */
  async read({ account, deployment, lines = DEFAULT_LINES, cursor, ...filter }: Request): Promise<z.input<typeof ReadLog.reply>> {
    const before = parseLogCursor(cursor);
    const found = await this.transactions.read(account, (connection) => this.deployments.find(connection, account, deployment));
    if (!found) throw deploymentNotFound();
    const isWanted = logLineFilter(filter);
    const replies = await Promise.all(
      this.agents.live().map(async (agent): Promise<AgentReply> => {
        const readTo = before.get(agent.wk);
        const request = { dep: deployment, lines, ...filter, ...(readTo && readTo.no > 0 && { after: readTo.no }) };
        const own = await this.#readFrom(agent, request);
        // Older agents ignore the filter.
        return { agent, readTo, lines: own && own.filter((line) => isWanted(line) && isNew(line, readTo)) };
      }),
    );
    const received = replies.flatMap(({ agent: { host, wk: agent }, lines: own }) =>
      (own ?? []).map((line): HostLine => ({ ...line, host, agent })),
    );
    // An agent without a load of the deployment is not reported as silent.
    const silent = replies.filter(
      (reply) => reply.lines === null && isAssignedTo(found, reply.agent.wk) && loadsOf(reply.agent, deployment).length > 0,
    );
    return {
      lines: newestLines(received, lines),
      silent: [...new Set(silent.map(({ agent }) => agent.host))].sort(),
      cursor: logCursorText(cursorAfter(replies)),
    };
  }

  /** Null when the agent sends no valid reply. */
  async #readFrom({ wk, host }: AgentHeartbeat, request: z.input<typeof ReadAgentLog.request>): Promise<readonly LogLine[] | null> {
    try {
      return (await this.rpc.call(ReadAgentLog, request, { wk })).lines;
    } catch (error) {
      // Owners see that the agent did not reply; operators find the cause in the log.
      this.log.warn({ wk, host, err: error }, 'logs.agent_unanswered');
      return null;
    }
  }
}
