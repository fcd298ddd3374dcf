import { Inject, Injectable } from '@nestjs/common';
import { AgentHeartbeat, Assignment, type Incarnation, subjectOf } from '@slipway/contracts';
import type { Logger, NatsConnection, Subscription } from '@slipway/platform';
import type { WorkerConfig } from '../config.js';
import { AgentStatusService } from './agent-status.service.js';
import { AGENT_ID, CONFIG, LOG, NATS } from './agent-tokens.js';
import { PlacementsService } from './placements.service.js';

const BEAT_MS = 1_000;
/** Least distance of two reports, so that a load's progress is no flood. */
const SPACING_MS = 50;

/** The agent's side of placement: reports what this worker is and does, and obeys assignments. */
@Injectable()
export class AgentService {
  #assignments: Subscription | undefined;
  #beats: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #draining = false;

  constructor(
    @Inject(AGENT_ID) private readonly wk: Incarnation,
    @Inject(CONFIG) private readonly config: WorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly placements: PlacementsService,
    private readonly status: AgentStatusService,
  ) {}

  start(): void {
    this.placements.onChange(() => this.#beatSoon());
    const subject = subjectOf(Assignment, { env: this.config.SLIPWAY_ENV, wk: this.wk });
    this.#assignments = this.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error) this.log.error({ err: error }, 'agent.assignments_refused');
        else this.#obey(message.string());
      },
    });
    this.#beats = setInterval(() => this.#beat(), BEAT_MS);
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

  // The schema's own words may quote values, and a credential could be among them.
  #obey(text: string): void {
    const assignment = readAssignment(text);
    if (assignment) this.placements.obey(assignment);
    else this.log.error('agent.assignment_malformed');
  }

  #beatSoon(): void {
    this.#soon ??= setTimeout(() => this.#beat(), SPACING_MS);
  }

  #beat(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    const heartbeat: AgentHeartbeat = { wk: this.wk, draining: this.#draining, ...this.status.observe() };
    if (this.nats.isClosed()) return;
    this.nats.publish(subjectOf(AgentHeartbeat, { env: this.config.SLIPWAY_ENV, wk: this.wk }), JSON.stringify(heartbeat));
  }
}

function readAssignment(text: string): Assignment | null {
  try {
    return Assignment.message.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
