import { Inject, Injectable } from '@nestjs/common';
import type { AccountId, DeploymentId, ReplicaRange } from '@slipway/contracts';
import { CONFIG } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { LoadTable } from '../load/load-table.js';
import type { Round } from '../placement/placement-state.js';
import type { Target } from '../placement/target.js';
import { type Unit, unitKey } from '../placement/unit.js';
import { scaleReplicas, type ScaleState } from './scale-replicas.js';

/** A change of a deployment's replicas that its load calls for. */
export interface ScaledDeployment {
  readonly dep: DeploymentId;
  readonly account: AccountId;
  readonly before: number;
  readonly replicas: number;
  /** Requests at its workers and in the queues of gateways. */
  readonly requests: number;
}

/** A target whose load decides its replicas. */
type ScalingTarget = Target & { readonly range: ReplicaRange };

const isScaling = (target: Target): target is ScalingTarget => target.range !== null && target.desired === 'ready';

/** Decides the replicas of the deployments that scale by their load, during a placer's term. */
@Injectable()
export class Autoscaler {
  readonly #downAfterMs: number;
  readonly #states = new Map<DeploymentId, ScaleState>();

  constructor(
    private readonly loads: LoadTable,
    @Inject(CONFIG) { SCALE_DOWN_AFTER_MS: downAfterMs }: DeploymentsServiceConfig,
  ) {
    this.#downAfterMs = downAfterMs;
  }

  /** To be called when a term begins: loads of the time before were not seen. */
  forget(): void {
    this.#states.clear();
  }

  /** The changes that are due now. To be called with each round, at least each 10 s. */
  decide(targets: readonly Target[], round: Round, now: number): ScaledDeployment[] {
    const scaling = targets.filter(isScaling);
    const known = new Set(scaling.map(({ dep }) => dep));
    for (const dep of this.#states.keys()) if (!known.has(dep)) this.#states.delete(dep);
    return scaling.flatMap((target) => this.#decideOne(target, round, now));
  }

  /** Replicas that the load of a deployment calls for, as far as its range goes; undefined = its owner decides. */
  wanted(dep: DeploymentId): number | undefined {
    return this.#states.get(dep)?.wanted;
  }

  #decideOne(target: ScalingTarget, round: Round, now: number): ScaledDeployment[] {
    const { dep, account, replicas: before, range, revisions, serving } = target;
    const unit = round.units.find((candidate) => unitKey(candidate) === unitKey(target));
    const served = revisions.find(({ rev }) => rev === (serving ?? target.rev));
    if (!unit || !served) return [];
    const { inFlight, queued } = this.loads.of(dep);
    const { replicas, state } = scaleReplicas(this.#states.get(dep), {
      now,
      range: { min: range.min, max: range.max, targetPercent: range.target_percent },
      replicas: before,
      assigned: assignedTo(unit, round),
      ready: round.observations.get(dep)?.readyReplicas ?? 0,
      slots: served.slots,
      requests: inFlight + queued,
      room: () => round.room(unit),
      downAfterMs: this.#downAfterMs,
    });
    this.#states.set(dep, state);
    return replicas === before ? [] : [{ dep, account: account as AccountId, before, replicas, requests: inFlight + queued }];
  }
}

/** Agents that hold a unit and are not about to leave. */
export const assignedTo = (unit: Unit, { agents, assignments }: Pick<Round, 'agents' | 'assignments'>): number =>
  agents.filter((agent) => !agent.draining && assignments.get(agent.wk)?.has(unitKey(unit))).length;
