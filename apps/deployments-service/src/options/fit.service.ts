import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_POOL, downloadOf, engineKindOf, fileOf, type FitDeployment, type ModelSource, type WorkerFit } from '@slipway/contracts';
import { CONFIG, fitting } from '@slipway/platform';
import type { z } from 'zod';
import { RequestedModels } from '../adapters/requested-models.js';
import { AgentTable } from '../agents/agent-table.js';
import { LoadTimes } from '../agents/load-times.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { publicSource } from '../deployments/revision-settings.js';
import { SettingsPolicy } from '../deployments/settings-policy.js';
import { type Room, roomFor } from '../placement/place.js';
import { PlacementRepository } from '../placement/placement.repository.js';
import { PlacementState } from '../placement/placement-state.js';
import { TargetLoader } from '../placement/target-loader.js';
import type { Target } from '../placement/target.js';
import type { Unit } from '../placement/unit.js';

/** How long the deployments that were read are used again, in milliseconds: it bounds the work of callers who ask often. */
const FRESH_MS = 2_000;
const WORKERS_MAX = 1_000;

type Request = z.output<typeof FitDeployment.request>;
type Reply = z.input<typeof FitDeployment.reply>;

/** Identifies a model, whichever engine loads it. */
const modelOf = (source: ModelSource): string | null => fileOf(source) ?? downloadOf(publicSource(source));

/** Finds out where a deployment would have room, by the rules of the placer, without placing it. */
@Injectable()
export class FitService {
  readonly #clear: boolean;
  #targets: Promise<Target[]> | undefined;
  #readAt = 0;

  // oxlint-disable-next-line slipway/max-params -- an answer checks, sizes, places and times; no two of these dependencies are used together elsewhere
  constructor(
    private readonly models: RequestedModels,
    private readonly policy: SettingsPolicy,
    private readonly repository: PlacementRepository,
    private readonly loader: TargetLoader,
    private readonly agents: AgentTable,
    private readonly times: LoadTimes,
    @Inject(CONFIG) { SEND_CLEAR_CREDENTIALS: send }: DeploymentsServiceConfig,
  ) {
    this.#clear = send === 'to-old-workers';
  }

  /** @throws ServiceError `source_not_allowed`, `adapter_not_found`, or `invalid_request` for settings above the operator's bounds */
  async fit(request: Request): Promise<Reply> {
    const { source, adapterBytes } = await this.models.sized(request);
    const { context = null, slots = this.policy.defaultSlots(source), replicas = this.policy.defaultReplicas(source) } = request;
    this.policy.check({ context, slots, threads: null });
    this.policy.checkReplicas(replicas);
    const [targets, need] = await Promise.all([this.#stored(), this.loader.memoryOf({ source, context, slots })]);
    const { mapped, fileBytes } = need;
    const bytes = need.bytes + (adapterBytes ?? 0);
    const isKnown = fileBytes !== null || need.bytes === 0;
    const unit = { bytes, mapped, file: fileOf(source), engine: engineKindOf(source), secret: false, adapter: adapterBytes !== null };
    const workers = this.#rooms(targets, unit).map((room) => this.#view(room, { source, targets, needed: isKnown ? bytes : null }));
    return {
      model_bytes: fileBytes,
      memory_needed: isKnown ? bytes : null,
      replicas,
      placeable: isKnown ? Math.min(replicas, workers.filter(({ fits }) => fits).length) : null,
      workers: [...fitting(workers.slice(0, WORKERS_MAX))],
    };
  }

  #rooms(targets: readonly Target[], unit: Pick<Unit, 'bytes' | 'mapped' | 'file' | 'engine' | 'secret' | 'adapter'>): Room[] {
    const agents = this.agents.live();
    const { assignments, units } = new PlacementState(this.#clear).round(targets, agents, performance.now());
    return roomFor(unit, { units, agents, assignments }).sort((a, b) => (a.agent.host < b.agent.host ? -1 : 1));
  }

  #view({ agent, free, obstacle }: Room, about: { source: ModelSource; targets: readonly Target[]; needed: number | null }): WorkerFit {
    const { needed } = about;
    // Whatever the size of the model is, a worker without its engine cannot load it.
    const isOpen = needed === null && obstacle?.reason !== 'unable';
    return {
      ...{ agent: agent.wk, host: agent.host, cores: agent.cpu, gpus: agent.gpus, pool: agent.pool ?? DEFAULT_POOL },
      memory_total: agent.mem_total ?? null,
      memory_free: free,
      memory_needed: needed,
      fits: isOpen ? null : obstacle === null,
      detail: isOpen ? null : (obstacle?.detail ?? null),
      load_ms: this.#loadTime(agent.host, about),
    };
  }

  /** The longest time that a revision with this model took on the host. */
  #loadTime(host: string, { source, targets }: { source: ModelSource; targets: readonly Target[] }): number | null {
    const model = modelOf(source);
    if (model === null) return null;
    const alike = targets.flatMap(({ dep, revisions }) =>
      revisions.filter((revision) => modelOf(revision.source) === model).map(({ rev }) => ({ dep, rev })),
    );
    const known = alike.map((revision) => this.times.of(host, revision)).filter((ms) => ms !== null);
    return known.length > 0 ? Math.max(...known) : null;
  }

  /** What the placer works on, at most 2 s old. */
  #stored(): Promise<Target[]> {
    if (!this.#targets || performance.now() - this.#readAt >= FRESH_MS) {
      this.#readAt = performance.now();
      this.#targets = this.repository.targets().then(({ targets }) => this.loader.complete(targets));
      this.#targets.catch(() => (this.#targets = undefined));
    }
    return this.#targets;
  }
}
