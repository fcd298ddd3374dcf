import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { IMPORT_FEATURE, type Incarnation, subjectOf, type TrainerFacts, TrainerHeartbeat, TrainingAssignment } from '@slipway/contracts';
import { CONFIG, eachSecond, LOG, type Logger, NATS, type NatsConnection, noteRelease, type Subscription } from '@slipway/platform';
import type { TrainingWorkerConfig } from '../config.js';
import type { Trainer } from '../trainers/trainer.js';
import { createTrainers } from '../trainers/trainers.js';
import { TRAINER_ID } from './agent-tokens.js';
import { BasesService } from './bases.service.js';
import { RunsService } from './runs.service.js';
import { TermFence } from './term-fence.js';
import { trainingMemory } from './training-memory.js';

/** Trainers and the disk are looked at once in so many heartbeats, one of which is sent each second. */
const LOOK_EVERY = 10;
const SLOT = 'cpu';
/** How long a first assignment is waited for, in milliseconds: without tuning-service there is none. */
const ASSIGNED_WITHIN_MS = 10_000;

/** The worker's side of placement: applies assignments, and reports in heartbeats what this worker has and runs. */
@Injectable()
export class AgentService {
  readonly #fence = new TermFence();
  #assignments: Subscription | undefined;
  #endHeartbeats: () => void = () => undefined;
  #trainers: readonly Trainer[] = [];
  #facts: readonly TrainerFacts[] = [];
  #diskFree = 0;
  #diskTotal = 0;
  #beats = 0;
  #draining = false;
  #startedAt = 0;

  constructor(
    @Inject(TRAINER_ID) private readonly tw: Incarnation,
    @Inject(CONFIG) private readonly config: TrainingWorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NATS) private readonly nats: NatsConnection,
    private readonly bases: BasesService,
    private readonly runs: RunsService,
  ) {}

  async start(): Promise<void> {
    this.#trainers = [...(await createTrainers(this.runs.trainers, this.log)).values()];
    await this.#look();
    await this.runs.start();
    this.runs.onChange(() => this.#beat());
    const subject = subjectOf(TrainingAssignment, { env: this.config.SLIPWAY_ENV, tw: this.tw });
    this.#assignments = this.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error) this.log.error({ err: error }, 'trainer.assignments_refused');
        else {
          noteRelease(this.nats, 'tuning', message);
          this.#apply(message.string());
        }
      },
    });
    this.#startedAt = performance.now();
    this.#endHeartbeats = eachSecond(() => {
      this.#fence.tick();
      this.#beats += 1;
      if (this.#beats % LOOK_EVERY === 0) void this.#look();
      this.#beat();
    });
    this.#beat();
    this.log.info({ trainer: this.tw, trainers: this.#trainers.map(({ name }) => name) }, 'trainer.started');
  }

  /** Waits for an assignment, be it empty: it tells the release of tuning-service. */
  notReady(): string | null {
    const isEarly = performance.now() - this.#startedAt < ASSIGNED_WITHIN_MS;
    return isEarly && this.#fence.applied === null ? 'no assignment has come' : null;
  }

  /** Reports `draining`, and ends what runs. */
  async stop(): Promise<void> {
    this.#draining = true;
    this.#assignments?.unsubscribe();
    this.#beat();
    await this.runs.stop();
    this.#endHeartbeats();
    this.#beat();
  }

  #apply(text: string): void {
    const assignment = parse(text);
    if (!assignment) return this.log.error('trainer.assignment_malformed');
    const applied = this.#fence.applied;
    if (!this.#fence.admits(assignment.term, assignment.no)) return;
    this.runs.apply(assignment);
    // A repeated assignment is acknowledged by the next heartbeat.
    if (applied?.term !== assignment.term || applied.no !== assignment.no) this.#beat();
  }

  async #look(): Promise<void> {
    this.#facts = await Promise.all(this.#trainers.map((trainer) => trainer.probe()));
    const disk = await statfs(this.config.TRAINING_DIR).catch(() => null);
    this.#diskFree = disk ? disk.bavail * disk.bsize : 0;
    this.#diskTotal = disk ? disk.blocks * disk.bsize : 0;
  }

  #beat(): void {
    if (this.nats.isClosed()) return;
    const slot = { id: SLOT, device: 'cpu' as const, bytes: trainingMemory(this.config), running: this.runs.running() };
    const heartbeat: TrainerHeartbeat = {
      tw: this.tw,
      host: hostname().slice(0, 255),
      slots: [slot],
      trainers: [...this.#facts],
      bases: this.bases.list(),
      disk_free: this.#diskFree,
      disk_total: this.#diskTotal,
      draining: this.#draining,
      features: [IMPORT_FEATURE],
      assigned: this.#fence.applied,
    };
    try {
      this.nats.publish(subjectOf(TrainerHeartbeat, { env: this.config.SLIPWAY_ENV, tw: this.tw }), JSON.stringify(heartbeat));
    } catch (error) {
      this.log.error({ err: error }, 'trainer.heartbeat_unsent');
    }
  }
}

function parse(text: string): TrainingAssignment | null {
  try {
    return TrainingAssignment.message.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
