import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AssignmentItem,
  type DeploymentId,
  LOG_LINE_CHARS,
  LOG_RING_LINES,
  type LogLine,
  type LogLineLevel,
  RequestId,
} from '@slipway/contracts';
import { createLogger, type Logger, LogThreshold } from '@slipway/platform';
import { z } from 'zod';

export interface WantedLines {
  readonly after?: number | undefined;
  readonly isWanted?: (line: LogLine) => boolean;
}

/** The newest lines of one deployment's log. */
export class LineRing {
  readonly #lines: LogLine[] = [];
  #next = 0;

  add(line: LogLine): void {
    this.#lines[this.#next] = { ...line, text: line.text.slice(0, LOG_LINE_CHARS) };
    this.#next = (this.#next + 1) % LOG_RING_LINES;
  }

  /** At most `count` wanted lines of together at most `bytes` as JSON, oldest first. @param after only lines with higher numbers */
  newest(count: number, bytes: number, { after = 0, isWanted = () => true }: WantedLines = {}): LogLine[] {
    const found: LogLine[] = [];
    let size = 0;
    for (let back = 1; back <= this.#lines.length && found.length < count; back += 1) {
      const line = this.#lines[(this.#next - back + LOG_RING_LINES) % LOG_RING_LINES];
      if (!line || (line.no ?? Infinity) <= after) break;
      if (!isWanted(line)) continue;
      size += Buffer.byteLength(JSON.stringify(line)) + 1;
      if (size > bytes) break;
      found.push(line);
    }
    // What a runner wrote may arrive after what its agent wrote meanwhile.
    return found.reverse().sort((a, b) => a.at - b.at);
  }
}

/** Deployments whose lines are kept; of the account that has most of them, the one that wrote nothing for longest goes first. */
const MAX_DEPLOYMENTS = 64;
/** Below what a reply may have. */
const MAX_REPLY_BYTES = 500_000;

/** Where the lines of one placed item go. */
export interface ItemLog {
  /** For what the agent itself has to say of it. */
  readonly logger: Logger;
  /** A line that the item's runner logged, as JSON. */
  readonly logged: (json: string) => void;
  /** A line that the item's runner wrote without its logger. */
  readonly stderr: (text: string) => void;
}

/** The lines of one deployment, and whose it is; undefined where no sender said so. */
interface KeptLog {
  readonly account: AccountId | undefined;
  readonly ring: LineRing;
}

/** What deployments' engines logged on this worker. It outlives their processes, and ends with the agent. */
@Injectable()
export class LogBook {
  /** The one that wrote last is the last. */
  readonly #logs = new Map<DeploymentId, KeptLog>();
  /** Lines of all deployments, so that numbers still rise after a log was forgotten. */
  #written = 0;

  constructor(private readonly threshold: LogThreshold) {}

  /** Opens the log of an item; a credential in a line is masked. */
  open({ dep, account, rev, credential }: AssignmentItem): ItemLog {
    const add = ({ text, ...line }: ReadableLine): void => {
      const masked = credential === undefined ? text : text.replaceAll(credential, '***');
      this.#written += 1;
      this.#ringOf(dep, account).add({ ...line, rev, text: masked, no: this.#written });
    };
    const logged = (json: string): void => {
      const line = readableLine(json);
      if (line) add(line);
    };
    return {
      logger: createLogger('inference-worker', this.threshold, logged).child({ deployment: dep, rev }),
      logged,
      stderr: (text) => add({ at: Date.now(), text }),
    };
  }

  /** At most `count` wanted lines of a deployment, oldest first, as many as fit into a reply. */
  newest(dep: DeploymentId, count: number, wanted: WantedLines = {}): LogLine[] {
    return this.#logs.get(dep)?.ring.newest(count, MAX_REPLY_BYTES, wanted) ?? [];
  }

  #ringOf(dep: DeploymentId, account: AccountId | undefined): LineRing {
    const known = this.#logs.get(dep);
    const log = { account: account ?? known?.account, ring: known?.ring ?? new LineRing() };
    // The order of a map is that of its insertions.
    this.#logs.delete(dep);
    this.#logs.set(dep, log);
    if (this.#logs.size > MAX_DEPLOYMENTS) this.#forgetOne();
    return log.ring;
  }

  /** So no account loses a log to one that has more. Among accounts with as many, the one that wrote nothing for longest goes. */
  #forgetOne(): void {
    const counts = new Map<AccountId | undefined, number>();
    for (const { account } of this.#logs.values()) counts.set(account, (counts.get(account) ?? 0) + 1);
    const most = Math.max(...counts.values());
    for (const [dep, { account }] of this.#logs) {
      if (counts.get(account) !== most) continue;
      this.#logs.delete(dep);
      return;
    }
  }
}

const Entry = z.looseObject({ level: z.string(), time: z.string(), event: z.string(), message: z.string().optional() });
/** Known from where the line is shown. */
const KNOWN = new Set(['level', 'time', 'event', 'service', 'pid', 'deployment', 'rev', 'request']);

/** The last line of a stream that did not fail, as it stands there: to parse them all would cost more than to write them. */
const GONE_WELL = /"outcome":"(?:done|cancelled)".*"event":"stream"\}\s*$/;

/** A line of a log for people. */
type ReadableLine = Pick<LogLine, 'at' | 'text' | 'level' | 'request'>;

const LEVELS: Readonly<Record<string, LogLineLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * Reads a line that a logger wrote; null for what is no such line, and for streams that went well: they are many, and the
 * metrics count them.
 */
function readableLine(json: string): ReadableLine | null {
  if (GONE_WELL.test(json)) return null;
  const entry = Entry.safeParse(parse(json)).data;
  const at = Date.parse(entry?.time ?? '');
  if (!entry || Number.isNaN(at)) return null;
  const request = RequestId.safeParse(entry['request']).data;
  const about = { at, level: LEVELS[entry.level] ?? 'info', ...(request !== undefined && { request }) };
  if (entry.event.startsWith('llama.') && entry.message !== undefined) return { ...about, text: entry.message };
  const fields = Object.entries(entry).filter(([name]) => !KNOWN.has(name));
  return { ...about, text: [entry.event, ...fields.map(([name, value]) => `${name}=${wordOf(value)}`)].join(' ') };
}

const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value, withoutStack);

/** Where in the code an error arose names folders of the machine: that is for the operator, in the log of the process. */
const withoutStack = (name: string, value: unknown): unknown =>
  name === 'stack' || (name === 'at' && Array.isArray(value)) ? undefined : value;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
