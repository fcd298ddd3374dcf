import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, DeploymentFeed, type DeploymentFeedRecord, type DeploymentId } from '@slipway/contracts';
import { type AdvisoryLock, Transactions, type Tx } from '@slipway/database';
import { type FeedPublisher, publisherOf } from '@slipway/feed';
import { type ChangeBudget, CONFIG } from '@slipway/platform';
import { type EntityManager, LessThanOrEqual, MoreThanOrEqual, type QueryDeepPartialEntity } from 'typeorm';
import type { ScaledDeployment } from '../autoscaling/autoscaler.js';
import { rangeIn } from '../autoscaling/requested-replicas.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { DeploymentEntity, RevisionEntity } from '../deployments/deployment.entity.js';
import { recordOf } from '../deployments/deployments.repository.js';
import { settingsOf } from '../deployments/revision-settings.js';
import { EventsRepository, type NewEvent } from '../events/events.repository.js';
import { type FeedChange, put } from '../feed/feed-records.js';
import type { DrainWait } from './drain-waits.js';
import type { Observation } from './observe.js';
import type { StoredTarget, Target, WrittenState } from './target.js';

/** An observed state that differs from the stored one. */
interface StateChange {
  readonly dep: DeploymentId;
  /** The row that the observation is about: it is written only while the row still has these values. */
  readonly basis: Pick<Target, 'rev' | 'desired' | 'tries'>;
  readonly observation: Observation;
}

/** The observations that differ from the stored states. Published changes above the budget are left out until a later round. */
export function stateChanges(
  targets: readonly Target[],
  observations: ReadonlyMap<DeploymentId, Observation>,
  budget: ChangeBudget,
  now: number,
): StateChange[] {
  budget.keepOnly(new Set(targets.map(({ dep }) => dep)));
  return targets.flatMap((target) => {
    const observation = observations.get(target.dep);
    if (!observation || !differs(target.written, observation)) return [];
    if (isPublished(target.written, observation) && !budget.take(target.dep, now)) return [];
    const { dep, rev, desired, tries } = target;
    return [{ dep, basis: { rev, desired, tries }, observation }];
  });
}

/** True for changes that the feed carries. Capabilities and context stay as stored while no replica is ready. */
function isPublished(written: PublishedState, { state, serving, caps, context, agents }: Observation): boolean {
  return (
    (agents?.join() ?? null) !== (written.agents?.join() ?? null) ||
    state !== written.state ||
    serving !== written.serving ||
    (caps !== null && caps.join() !== written.caps.join()) ||
    (context !== null && context !== written.context)
  );
}

type PublishedState = Pick<WrittenState, 'state' | 'serving' | 'caps' | 'context' | 'agents'>;

function differs(written: WrittenState, observation: Observation): boolean {
  const { reason, detail, readyReplicas } = observation;
  return (
    isPublished(written, observation) || reason !== written.reason || detail !== written.detail || readyReplicas !== written.readyReplicas
  );
}

/**
 * A term is at least the present time in seconds, so that a database restored from a backup issues no term below one that
 * agents have seen, which they would ignore.
 */
const NEXT_TERM = `
  WITH former AS (SELECT term FROM placement_term FOR UPDATE)
  UPDATE placement_term SET term = greatest(former.term + 1, extract(epoch FROM now())::bigint) FROM former
  RETURNING placement_term.term, former.term AS former`;

/** The newest revision, the serving one, and for `HANDOVER_MS` the one that served before. */
const WANTED = `r.number IN (d.rev, d.serving_rev)
  OR (r.number = d.leaving_rev AND d.serving_since > now() - :handover * interval '1 millisecond')`;

/** The present term, and the agents that are drained. */
const READ_TERM = 'SELECT term, ARRAY(SELECT wk FROM drained_agent) AS drained FROM placement_term';
/** With the lock, no other placer is elected before the transaction ends. */
const LOCK_TERM = 'SELECT term FROM placement_term FOR SHARE';

/** What each round of reading begins with. */
export interface ReadTerm {
  /** The newest term. */
  readonly term: number;
  /** Names of the drained agents. */
  readonly drained: readonly string[];
}

/** Keeps the time of the first failure across retries, between which the deployment loads again. */
const FAILED_SINCE = 'coalesce(failed_since, now())';

function failedSince(state: StateChange['observation']['state']): { failedSince?: null | (() => string) } {
  if (state === 'failed') return { failedSince: () => FAILED_SINCE };
  return state === 'loading' || state === 'pending' ? {} : { failedSince: null };
}

/** Reads and writes terms, targets and observed states. */
@Injectable()
export class PlacementRepository {
  readonly #transactions: Transactions;
  /** How long a revision that served before stays loaded, in milliseconds. */
  readonly #handoverMs: number;
  readonly #feed: FeedPublisher<DeploymentFeedRecord, Tx>;
  readonly #events: EventsRepository;

  constructor(
    transactions: Transactions,
    events: EventsRepository,
    @Inject(CONFIG) { HANDOVER_MS: handoverMs }: DeploymentsServiceConfig,
    @Inject(publisherOf(DeploymentFeed)) feed: FeedPublisher<DeploymentFeedRecord, Tx>,
  ) {
    this.#transactions = transactions;
    this.#events = events;
    this.#handoverMs = handoverMs;
    this.#feed = feed;
  }

  /** Begins a term, on the session that holds the placer's lock. Also returns the term before. */
  async nextTerm(lock: Pick<AdvisoryLock, 'query'>): Promise<{ term: number; former: number }> {
    const [row] = await lock.query<{ term: string; former: string }>(NEXT_TERM);
    return { term: Number(row?.term), former: Number(row?.former) };
  }

  term(): Promise<ReadTerm> {
    return this.#transactions.read((connection) => this.#readTerm(connection));
  }

  /** The newest term, and all deployments except stopped ones without loads, oldest first. */
  targets(): Promise<ReadTerm & { targets: StoredTarget[] }> {
    return this.#transactions.read(async (connection) => {
      const first = await this.#readTerm(connection);
      const rows = await connection
        .createQueryBuilder(DeploymentEntity, 'd')
        .innerJoinAndMapMany('d.revisions', RevisionEntity, 'r', `r.deployment_id = d.id AND (${WANTED})`, { handover: this.#handoverMs })
        .addSelect('r.witness')
        .where(`NOT (d.desired = 'stopped' AND d.state = 'stopped')`)
        .orderBy('d.id')
        .getMany();
      return { ...first, targets: rows.map((row) => targetOf(row as WithRevisions)) };
    });
  }

  /**
   * Writes state changes and records them in the feed. Writes nothing when another term has begun, and skips a deployment whose
   * row has changed since it was read.
   */
  async writeStates(term: number, changes: readonly StateChange[]): Promise<void> {
    await this.#transactions.run(async (tx) => {
      if ((await this.#lockTerm(tx)) !== term) return;
      for (const stateChange of changes) {
        const change = await this.#write(tx, stateChange);
        if (change) await this.#feed.record(tx, change);
      }
    });
  }

  /** Writes what the load decided, and records it in the history of each deployment. Fenced as `writeStates`. */
  async writeScalings(term: number, scalings: readonly ScaledDeployment[]): Promise<void> {
    await this.#transactions.run(async (tx) => {
      if ((await this.#lockTerm(tx)) !== term) return;
      for (const { dep, account, before, replicas, requests } of scalings) {
        // An owner who fixed the number meanwhile, or moved the range, has the last word.
        const where = {
          id: dep,
          replicas: before,
          desired: 'ready' as const,
          replicasMin: LessThanOrEqual(replicas),
          replicasMax: MoreThanOrEqual(replicas),
        };
        const { affected } = await tx.update(DeploymentEntity, where, { replicas });
        if (affected !== 1) continue;
        await this.#events.add(tx, { deployment: dep, account, kind: 'autoscale', facts: { before, replicas, requests } });
      }
    });
  }

  /** Writes what replicas of drained agents wait for. Fenced as `writeStates`. */
  async writeWaits(term: number, waits: readonly DrainWait[]): Promise<void> {
    await this.#transactions.run(async (tx) => {
      if ((await this.#lockTerm(tx)) !== term) return;
      for (const { wk, left } of waits) await tx.query(`UPDATE drained_agent SET waits = $2 WHERE wk = $1`, [wk, JSON.stringify(left)]);
    });
  }

  async #lockTerm(tx: EntityManager): Promise<number> {
    const [row] = await tx.query<{ term: string }[]>(LOCK_TERM);
    return Number(row?.term);
  }

  async #readTerm(connection: EntityManager): Promise<ReadTerm> {
    const [row] = await connection.query<{ term: string; drained: string[] }[]>(READ_TERM);
    return { term: Number(row?.term), drained: row?.drained ?? [] };
  }

  /** Writes one state change; null when the feed does not carry it. */
  async #write(tx: EntityManager, { dep, basis, observation }: StateChange): Promise<FeedChange | null> {
    const where = { id: dep, ...basis };
    const row = await tx.findOne(DeploymentEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (!row) return null;
    const { state, reason, detail, readyReplicas, serving } = observation;
    const agents = observation.agents && [...observation.agents];
    const caps = [...(observation.caps ?? row.caps)];
    const engineContext = observation.context ?? row.engineContext;
    const published = isPublished(writtenOf(row), observation);
    for (const event of eventsOf(row, observation)) await this.#events.add(tx, event);
    await tx
      .createQueryBuilder()
      .update(DeploymentEntity)
      .set({
        ...{ state, reason, detail, readyReplicas, caps, engineContext, agents },
        ...(published && { version: () => `nextval('record_version')` }),
        ...(state !== row.state && { stateSince: () => (state === 'failed' ? FAILED_SINCE : 'now()') }),
        ...failedSince(state),
        ...(serving !== row.servingRev && switched(row.servingRev, serving)),
      })
      .where({ id: dep })
      .execute();
    return published ? put(recordOf(await tx.findOneByOrFail(DeploymentEntity, { id: dep }))) : null;
  }
}

/** What of an observation owners should find in the deployment's history. */
function eventsOf(row: DeploymentEntity, { state, reason, detail, readyReplicas, serving }: StateChange['observation']): NewEvent[] {
  const rev = serving ?? row.rev;
  const common = { deployment: row.id as DeploymentId, account: row.account as AccountId, rev };
  const events: NewEvent[] = [];
  if (serving !== null && serving !== row.servingRev) events.push({ ...common, kind: 'serving' });
  if (state !== row.state || reason !== row.reason) events.push({ ...common, kind: 'state', state, reason, detail, readyReplicas });
  else if (readyReplicas !== row.readyReplicas) {
    events.push({ ...common, kind: 'replicas', readyReplicas, facts: { before: row.readyReplicas } });
  }
  return events;
}

type WithRevisions = DeploymentEntity & { readonly revisions: readonly RevisionEntity[] };

/** Columns of a change of the serving revision. The one before stays for `HANDOVER_MS`, unless none serves now. */
const switched = (before: number | null, now: number | null): QueryDeepPartialEntity<DeploymentEntity> => ({
  servingRev: now,
  leavingRev: now === null ? null : before,
  servingSince: () => 'now()',
});

const writtenOf = (row: DeploymentEntity): WrittenState => {
  const { state, reason, detail, readyReplicas, caps, engineContext, servingRev, agents } = row;
  return { state, reason, detail, readyReplicas, caps, context: engineContext, serving: servingRev, agents };
};

const targetOf = (row: WithRevisions): StoredTarget => ({
  dep: row.id as DeploymentId,
  account: row.account,
  desired: row.desired,
  rev: row.rev,
  serving: row.servingRev,
  replicas: row.replicas,
  range: rangeIn(row),
  tries: row.tries,
  revisions: row.revisions.map(({ number, ...revision }) => ({ rev: number, ...settingsOf(revision) })),
  written: writtenOf(row),
});
