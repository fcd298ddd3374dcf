import { Inject, Injectable } from '@nestjs/common';
import { AgentHeartbeat, Assignment, type Incarnation, subjectOf } from '@slipway/contracts';
import { BoxKey, CONFIG, LOG, type Logger, messageBytesOf, NATS, type NatsConnection, type Subscription } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AgentStatusService } from './agent-status.service.js';
import { AGENT_ID } from './agent-tokens.js';
import { AssignmentReader, type WholeAssignment } from './assignment-reader.js';
import { heartbeatTexts } from './heartbeat-parts.js';
import { PlacementsService } from './placements.service.js';
import { TermFence } from './term-fence.js';

const BEAT_MS = 1_000;
/** Least distance of two reports, so that a load's progress is no flood: a long report is sent less often. */
const SPACING_MS = 50;
const SPACING_MS_PER_LOAD = 0.25;

/** The agent's side of placement: reports what this worker is and does, and obeys assignments. */
@Injectable()
export class AgentService {
  #assignments: Subscription | undefined;
  #beats: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #draining = false;
  #beatNo = 0;
  #loads = 0;
  readonly #fence = new TermFence();
  readonly #reader: AssignmentReader;

  // oxlint-disable-next-line slipway/max-params -- the four of the process beside the two services and the key of the agent
  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly placements: PlacementsService,
    private readonly status: AgentStatusService,
    private readonly key: BoxKey,
  ) {
    this.#reader = new AssignmentReader({ wk, key, fence: this.#fence });
  }

  start(): void {
    this.placements.onChange(() => this.#beatSoon());
    const subject = subjectOf(Assignment, { env: this.config.SLIPWAY_ENV, wk: this.wk });
    this.#assignments = this.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error) this.log.error({ err: error }, 'agent.assignments_refused');
        else this.#obey(message.string());
      },
    });
    this.#beats = setInterval(() => {
      this.#fence.tick();
      this.#beat();
    }, BEAT_MS);
    this.#beat();
    this.log.info({ agent: this.wk }, 'agent.started');
  }

  /** Says that it drains, then ends all runners within the time. */
  async stop(deadlineMs: number): Promise<void> {
    this.#draining = true;
    this.#assignments?.unsubscribe();
    this.#beat();
    await this.placements.stop(deadlineMs);
    clearInterval(this.#beats);
    this.#beat();
  }

  #obey(text: string): void {
    const assignment = this.#read(text);
    if (!assignment) return;
    this.placements.obey(assignment);
    // The service repeats all of it until it hears that it is obeyed.
    this.#beatSoon();
  }

  #read(text: string): WholeAssignment | null {
    try {
      return this.#reader.read(text);
    } catch {
      this.log.error('agent.assignment_malformed');
      return null;
    }
  }

  #beatSoon(): void {
    this.#soon ??= setTimeout(() => this.#beat(), Math.min(BEAT_MS, SPACING_MS + this.#loads * SPACING_MS_PER_LOAD));
  }

  #beat(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const status = this.status.observe();
    this.#loads = status.loads.length;
    const identity = { wk: this.wk, key: this.key.publicKey, assigned: this.#reader.obeyed };
    const heartbeat: AgentHeartbeat = { ...identity, draining: this.#draining, ...status };
    if (this.nats.isClosed()) return;
    const subject = subjectOf(AgentHeartbeat, { env: this.config.SLIPWAY_ENV, wk: this.wk });
    try {
      for (const text of heartbeatTexts(heartbeat, (this.#beatNo += 1), messageBytesOf(this.nats))) this.nats.publish(subject, text);
    } catch (error) {
      this.log.error({ loads: this.#loads, err: error }, 'agent.heartbeat_unsent');
    }
  }
}
