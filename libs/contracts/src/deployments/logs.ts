import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId, Incarnation, RequestId } from '../ids.js';
import { enumOr } from '../schemas.js';

/** Lines that an agent keeps of each deployment's engine; the oldest go first. */
export const LOG_RING_LINES = 2_000;
/** Longer lines are cut by the agent. */
export const LOG_LINE_CHARS = 1_000;
/** Most characters of a cursor: one entry for each agent. */
const CURSOR_CHARS = 16_384;

/** Levels of log lines, the least first. */
export const LOG_LINE_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LogLevel = z.enum(LOG_LINE_LEVELS);
/** Level of a log line. */
export type LogLineLevel = z.infer<typeof LogLevel>;

/** A line of an engine's log. Never holds a prompt, an answer or a credential. */
export const LogLine = z.object({
  /** When it was written, in milliseconds since 1970 by the agent's clock. */
  at: z.int().nonnegative(),
  rev: z.int().positive(),
  text: z.string().max(LOG_LINE_CHARS),
  /** Absent where the engine gives none, and from agents before 2027, whose texts begin with it. */
  level: enumOr(LogLevel, 'info').optional(),
  /** The request that it is about, as its client knows it. Absent for other lines, and from older agents and gateways. */
  request: RequestId.optional(),
  /** Number of the line at its agent: later lines have higher ones. Absent from agents before 2027. */
  no: z.int().positive().optional(),
});
export type LogLine = z.infer<typeof LogLine>;

/** Which lines are wanted. Agents before 2027 ignore it. */
const filter = {
  /** Only lines of this time or later, in milliseconds since 1970. */
  since: z.int().nonnegative().optional(),
  /** Only lines before this time, in milliseconds since 1970. */
  until: z.int().nonnegative().optional(),
  /** Only lines of this level or above. Lines without a level count as `info`. */
  level: LogLevel.optional(),
  /** Only lines whose text contains this text, whatever its case, or that are about the request of this id. */
  search: z.string().min(1).max(200).optional(),
};
const LogFilter = z.object(filter);
/** Which lines of a log are wanted. */
export type LogFilter = z.infer<typeof LogFilter>;

/** A line for places that show text alone: with its level where that is above `info`. */
export const logLineText = ({ level, text }: Pick<LogLine, 'level' | 'text'>): string =>
  level === 'warn' || level === 'error' ? `${level} ${text}` : text;

const RANKS: ReadonlyMap<string, number> = new Map(LOG_LINE_LEVELS.map((level, rank) => [level, rank]));
const rankOf = (level: LogLineLevel | undefined): number => RANKS.get(level ?? 'info') ?? 0;

/** A test of log lines by a filter. */
export function logLineFilter({ since, until, level, search }: LogFilter): (line: LogLine) => boolean {
  const text = search?.toLowerCase();
  const least = level === undefined ? 0 : rankOf(level);
  return (line) =>
    line.at >= (since ?? 0) &&
    (until === undefined || line.at < until) &&
    rankOf(line.level) >= least &&
    (text === undefined || line.request === search || line.text.toLowerCase().includes(text));
}

/**
 * The newest lines of a deployment's engine log on one agent, oldest first. Each agent serves its own subject. Empty when the
 * agent has no lines, even if it no longer runs the deployment. A reply stays below 512 KiB: the oldest lines are left out.
 */
export const ReadAgentLog = defineRpc({
  subject: 'dep.{env}.v1.wrk.{wk}.rpc.read-log',
  owner: 'worker',
  callers: ['deployments'],
  queue: 'worker',
  request: z.object({
    dep: DeploymentId,
    lines: z.int().min(1).max(LOG_RING_LINES),
    ...filter,
    /** Only lines with higher numbers. */
    after: z.int().nonnegative().optional(),
  }),
  reply: z.object({ lines: z.array(LogLine) }),
  errors: [],
  timeoutMs: 1_500,
});

/** The newest lines of a deployment's engine log over all its agents, oldest first, below 512 KiB. */
export const ReadLog = defineRpc({
  subject: 'dep.{env}.v1.rpc.read-log',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    deployment: DeploymentId,
    /** Absent = 200. */
    lines: z.int().min(1).max(LOG_RING_LINES).optional(),
    ...filter,
    /** Only lines that are newer than the reply that this cursor came with. Replicas of before 2027 ignore it. */
    cursor: z.string().max(CURSOR_CHARS).optional(),
  }),
  reply: z.object({
    lines: z.array(
      LogLine.extend({
        host: z.string(),
        /** The agent that wrote it: with `host` it names the replica. Absent from older replicas. */
        agent: Incarnation.optional(),
      }),
    ),
    /** Hosts that did not answer, so their lines are missing. */
    silent: z.array(z.string()),
    /** For the next call of a live tail, with the same filter. Absent from older replicas. */
    cursor: z.string().max(CURSOR_CHARS).optional(),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 4_000,
});
