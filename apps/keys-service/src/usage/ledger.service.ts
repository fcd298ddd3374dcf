import { Injectable } from '@nestjs/common';
import { type EventContract, OrphanUsage, type RefusedUsage, type UsageRecord, UsageOrphaned, UsageRecorded } from '@slipway/contracts';
import { isRefusedData, Transactions, type Tx } from '@slipway/database';
import { StreamClaims } from '@slipway/platform';
import { checkClaims } from './claims.js';
import { type Entry, entryOf, entryOfOrphan, merge, wholeCounts } from './entry.js';
import { LedgerRepository } from './ledger.repository.js';
import { OrphansRepository } from './orphans.repository.js';
import { type RejectedUsage, RejectedUsageRepository, unreadable } from './rejected-usage.repository.js';
import { type Change, dayChanges, latencyChanges, minuteChanges, refusalChanges } from './roll-up.js';

/** Rows per transaction of a sweep. */
const SWEEP_ROWS = 500;

/** The records of one delivery. */
export interface Delivery {
  readonly records: readonly UsageRecord[];
  readonly orphans: readonly OrphanUsage[];
}

/** Counts each request once: its row, its sums and the last use of its key change in one transaction. */
@Injectable()
export class Ledger {
  constructor(
    private readonly transactions: Transactions,
    private readonly ledger: LedgerRepository,
    private readonly orphans: OrphansRepository,
    private readonly rejected: RejectedUsageRepository,
    private readonly claims: StreamClaims,
  ) {}

  /**
   * Records may come twice, late and in any order. One that the database refuses is set aside, and all others are counted.
   * @returns records that were set aside
   */
  async add({ records, orphans }: Delivery): Promise<RejectedUsage[]> {
    const { transactions } = this;
    const { accepted, rejected } = await transactions.read((tx) => this.#checkClaims(tx, orphans));
    const refused = [
      ...rejected,
      ...(await writeIsolating(accepted, (some) => transactions.run((tx) => this.orphans.put(tx, some)))).map(ofSubject(UsageOrphaned)),
      ...(await writeIsolating(records, (some) => transactions.run((tx) => this.#count(tx, some.map(entryOf))))).map(
        ofSubject(UsageRecorded),
      ),
    ];
    await this.setAside(refused);
    return refused;
  }

  /** Counts requests that gateways refused, each count once. @returns counts that were set aside */
  async addRefused(counts: readonly RefusedUsage[]): Promise<RejectedUsage[]> {
    const count = (some: readonly RefusedUsage[]): Promise<void> =>
      this.transactions.run(async (tx) => {
        const changes = refusalChanges(await this.ledger.insertRefusals(tx, some));
        if (changes.length > 0) await this.ledger.addToMinutes(tx, changes);
      });
    const refused = (await writeIsolating(counts, count)).map(ofSubject(UsageRecorded));
    await this.setAside(refused);
    return refused;
  }

  /** Stores usage that cannot be counted, for operators. */
  async setAside(rejected: readonly RejectedUsage[]): Promise<void> {
    if (rejected.length > 0) await this.transactions.run((tx) => this.rejected.put(tx, rejected));
  }

  /** Counts requests whose gateway sent no record within `waitMs`, by the counts of their workers. @returns how many, and what was set aside */
  adoptOrphans(waitMs: number): Promise<{ readonly adopted: number; readonly rejected: readonly RejectedUsage[] }> {
    return this.transactions.run(async (tx) => {
      const due = (await this.orphans.takeDue(tx, waitMs, SWEEP_ROWS)).map((record) => ({ record, read: OrphanUsage.safeParse(record) }));
      const readable = due.flatMap(({ read }) => (read.success ? [read.data] : []));
      // Counts that an earlier release stored were not checked when they came.
      const checked = await this.#checkClaims(tx, readable);
      const whole = wholeCounts(checked.accepted);
      const refused = await writeIsolating(whole, (some) => tx.transaction((within) => this.#count(within, some.map(entryOfOrphan))));
      const rejected = [
        ...due.flatMap(({ record, read }) => (read.success ? [] : [unreadable(UsageOrphaned, record, read.error)])),
        ...checked.rejected,
        ...refused.map(ofSubject(UsageOrphaned)),
      ];
      if (rejected.length > 0) await this.rejected.put(tx, rejected);
      return { adopted: whole.length - refused.length, rejected };
    });
  }

  /** Deletes single requests that began more than `days` ago; sums stay. */
  async prune(days: number): Promise<void> {
    await this.transactions.run((tx) => this.ledger.pruneRefusals(tx, days));
    while ((await this.transactions.run((tx) => this.ledger.prune(tx, days, SWEEP_ROWS))) === SWEEP_ROWS);
  }

  async #checkClaims(tx: Tx, orphans: readonly OrphanUsage[]): Promise<ReturnType<typeof checkClaims>> {
    if (orphans.length === 0) return { accepted: [], rejected: [] };
    const acceptsUntimed = await this.orphans.acceptsUntimed(tx);
    return checkClaims(this.claims, orphans, { now: Date.now(), acceptsUntimed });
  }

  async #count(tx: Tx, entries: readonly Entry[]): Promise<void> {
    const merged = new Map<string, Entry>();
    for (const entry of entries) {
      const other = merged.get(entry.st);
      merged.set(entry.st, other ? merge(other, entry) : entry);
    }
    if (merged.size === 0) return;
    const all = [...merged.values()];
    const fresh = await this.ledger.insertNew(tx, all);
    const added = all.filter(({ st }) => fresh.has(st)).map((after): Change => ({ before: null, after }));
    const others = all.filter(({ st }) => !fresh.has(st));
    await this.#addUp(tx, [...added, ...(others.length > 0 ? await this.#update(tx, others) : [])]);
  }

  /** Merges these into the rows of requests that were counted before. */
  async #update(tx: Tx, entries: readonly Entry[]): Promise<Change[]> {
    const known = await this.ledger.lock(
      tx,
      entries.map(({ st }) => st),
    );
    const changes = entries.map((entry): Change => {
      const before = known.get(entry.st) ?? null;
      return { before, after: before ? merge(before, entry) : entry };
    });
    await this.ledger.update(
      tx,
      changes.map(({ after }) => after),
    );
    return changes;
  }

  async #addUp(tx: Tx, changes: readonly Change[]): Promise<void> {
    const minutes = minuteChanges(changes);
    if (minutes.length > 0) await this.ledger.addToMinutes(tx, minutes);
    const latencies = latencyChanges(changes);
    if (latencies.length > 0) await this.ledger.addToLatencies(tx, latencies);
    const days = dayChanges(changes);
    if (days.length > 0) await this.ledger.addToDays(tx, days);
    const uses = new Map<number, number>();
    for (const { after } of changes) uses.set(after.key, Math.max(uses.get(after.key) ?? 0, after.started + after.ms));
    await this.ledger.recordLastUse(tx, uses);
  }
}

/** An item that the database refuses, and why. */
interface Refused<T> {
  readonly item: T;
  readonly reason: string;
}

/**
 * Writes items together. When the database refuses one for its data, each half is written by itself, and so on, until all but the
 * refused items are written.
 * @param write writes all of its items or none
 * @returns the refused items
 * @throws what `write` throws for other reasons; some items may be written then, and all can be tried again
 */
async function writeIsolating<T>(items: readonly T[], write: (items: readonly T[]) => Promise<void>): Promise<Refused<T>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await write(items);
    return [];
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    if (items.length === 1) return [{ item: first, reason: error instanceof Error ? error.message : String(error) }];
    const half = Math.ceil(items.length / 2);
    return [...(await writeIsolating(items.slice(0, half), write)), ...(await writeIsolating(items.slice(half), write))];
  }
}

const ofSubject =
  ({ subject }: EventContract) =>
  ({ item, reason }: Refused<object>): RejectedUsage => ({ subject, why: 'refused', reason, record: item });
