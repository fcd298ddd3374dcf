import { Inject, Injectable } from '@nestjs/common';
import { AgentHeartbeat, Assignment, type Incarnation, subjectOf } from '@slipway/contracts';
import {
  BoxKey,
  CONFIG,
  eachSecond,
  inParts,
  LOG,
  type Logger,
  messageBytesOf,
  NATS,
  type NatsConnection,
  noteRelease,
  type Subscription,
} from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AgentStatusService } from './agent-status.service.js';
import { AGENT_ID } from './agent-tokens.js';
import { AssignmentReader, TermFence, type WholeAssignment } from './assignment-reader.js';
import { LoadReadiness } from './load-readiness.js';
import { ReplicasService } from './replicas.service.js';

/** Bytes of lists in a part: a message of this size is read in a few milliseconds. */
const PART_BYTES = 256 * 1_024;

/**
 * A report as texts, each of which one message can hold: one without `part` where everything fits, as services of before 2027
 * know it, else a series.
 * @param no number of the series.
 * @param bytesMax of a message.
 */
export function heartbeatTexts(heartbeat: AgentHeartbeat, no: number, bytesMax: number): string[] {
  const { loads, cached, ...facts } = heartbeat;
  const room = Math.min(PART_BYTES, bytesMax - Buffer.byteLength(JSON.stringify(facts)) - 256);
  // Loads are JSON objects and addresses JSON strings, so the first character distinguishes them.
  const parts = inParts(
    [...loads, ...cached].map((entry) => JSON.stringify(entry)),
    room,
  );
  const of = Math.max(1, parts.length);
  return Array.from({ length: of }, (_, i) => {
    const entries = parts[i] ?? [];
    const lists = `"cached":[${entries.filter((text) => text.startsWith('"')).join(',')}],"loads":[${entries.filter((text) => text.startsWith('{')).join(',')}]`;
    const part = of === 1 ? '' : `,"part":${JSON.stringify({ no, i, of })}`;
    return `${JSON.stringify(facts).slice(0, -1)},${lists}${part}}`;
  });
}

/** Regular heartbeats are sent each second, in milliseconds. */
const HEARTBEAT_MS = 1_000;
/** Least time between two heartbeats, in milliseconds; longer heartbeats are sent less often. A loading model changes its progress far more often. */
const SPACING_MS = 50;
const SPACING_MS_PER_LOAD = 0.25;

/** The agent's side of placement: applies assignments, and reports the state of this worker in heartbeats. */
@Injectable()
export class AgentService {
  #assignments: Subscription | undefined;
  #endHeartbeats: (() => void) | undefined;
  #soon: NodeJS.Timeout | undefined;
  #draining = false;
  #heartbeatNo = 0;
  #loads = 0;
  readonly #fence = new TermFence();
  readonly #reader: AssignmentReader;
  readonly #readiness = new LoadReadiness();

  // oxlint-disable-next-line slipway/max-params -- four of the process, two services and the agent's key
  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly replicas: ReplicasService,
    private readonly status: AgentStatusService,
    private readonly key: BoxKey,
  ) {
    this.#reader = new AssignmentReader({ wk, key, fence: this.#fence });
  }

  start(): void {
    this.replicas.onChange(() => this.#sendHeartbeatSoon());
    const subject = subjectOf(Assignment, { env: this.config.SLIPWAY_ENV, wk: this.wk });
    this.#assignments = this.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error) this.log.error({ err: error }, 'agent.assignments_refused');
        else {
          noteRelease(this.nats, 'deployments', message);
          this.#apply(message.string());
        }
      },
    });
    this.#endHeartbeats = eachSecond(() => {
      this.#fence.tick();
      this.#sendHeartbeat();
    });
    this.#sendHeartbeat();
    this.log.info({ agent: this.wk }, 'agent.started');
  }

  /** What is not served yet of what was assigned; null when nothing is missing. */
  notReady(): string | null {
    return this.#readiness.notReady(this.replicas.reports());
  }

  /** Reports `draining`, then ends all runners within `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    this.#draining = true;
    this.#assignments?.unsubscribe();
    this.#sendHeartbeat();
    await this.replicas.stop(deadlineMs);
    this.#endHeartbeats?.();
    this.#sendHeartbeat();
  }

  #apply(text: string): void {
    const assignment = this.#read(text);
    if (!assignment) return;
    this.#readiness.assigned();
    this.replicas.apply(assignment);
    // The placer repeats the assignment until a heartbeat reports it as applied.
    this.#sendHeartbeatSoon();
  }

  #read(text: string): WholeAssignment | null {
    try {
      return this.#reader.read(text);
    } catch {
      this.log.error('agent.assignment_malformed');
      return null;
    }
  }

  #sendHeartbeatSoon(): void {
    this.#soon ??= setTimeout(() => this.#sendHeartbeat(), Math.min(HEARTBEAT_MS, SPACING_MS + this.#loads * SPACING_MS_PER_LOAD));
  }

  #sendHeartbeat(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const status = this.status.observe();
    this.#loads = status.loads.length;
    const identity = { wk: this.wk, key: this.key.publicKey, assigned: this.#reader.applied };
    const heartbeat: AgentHeartbeat = { ...identity, draining: this.#draining, ...status };
    if (this.nats.isClosed()) return;
    const subject = subjectOf(AgentHeartbeat, { env: this.config.SLIPWAY_ENV, wk: this.wk });
    try {
      for (const text of heartbeatTexts(heartbeat, (this.#heartbeatNo += 1), messageBytesOf(this.nats))) this.nats.publish(subject, text);
    } catch (error) {
      this.log.error({ loads: this.#loads, err: error }, 'agent.heartbeat_unsent');
    }
  }
}
