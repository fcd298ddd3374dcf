import { Inject, Injectable } from '@nestjs/common';
import type { AssignmentItem, DeploymentId, LogLine } from '@slipway/contracts';
import { createLogger, type Logger } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { CONFIG } from './agent-tokens.js';
import { LineRing } from './line-ring.js';
import { readableLine } from './log-text.js';

/** Deployments whose lines are kept; those that wrote nothing for longest go first. */
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
  readonly complained: (text: string) => void;
}

/** What deployments' engines logged on this worker. It outlives their processes, and ends with the agent. */
@Injectable()
export class LogBook {
  readonly #rings = new Map<DeploymentId, LineRing>();

  constructor(@Inject(CONFIG) private readonly config: WorkerConfig) {}

  /** Opens the log of an item; a credential in a line is masked. */
  open({ dep, rev, credential }: AssignmentItem): ItemLog {
    const add = (at: number, text: string): void => {
      const masked = credential === undefined ? text : text.replaceAll(credential, '***');
      this.#ringOf(dep).add({ at, rev, text: masked });
    };
    const logged = (json: string): void => {
      const line = readableLine(json);
      if (line) add(line.at, line.text);
    };
    return {
      logger: createLogger('inference-worker', this.config.LOG_LEVEL, logged).child({ deployment: dep, rev }),
      logged,
      complained: (text) => add(Date.now(), text),
    };
  }

  /** At most `count` lines of a deployment, oldest first, as many as fit into a reply. */
  newest(dep: DeploymentId, count: number): LogLine[] {
    return this.#rings.get(dep)?.newest(count, MAX_REPLY_BYTES) ?? [];
  }

  #ringOf(dep: DeploymentId): LineRing {
    const ring = this.#rings.get(dep) ?? new LineRing();
    // The order of a map is that of its insertions.
    this.#rings.delete(dep);
    this.#rings.set(dep, ring);
    const [oldest] = this.#rings.keys();
    if (oldest !== undefined && this.#rings.size > MAX_DEPLOYMENTS) this.#rings.delete(oldest);
    return ring;
  }
}
