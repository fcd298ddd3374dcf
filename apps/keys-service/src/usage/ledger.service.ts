import { Injectable } from '@nestjs/common';
import { type EventContract, OrphanUsage, type RefusedUsage, type UsageRecord, UsageOrphaned, UsageRecorded } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { StreamClaims } from '@slipway/platform';
import { claimed } from './claimed-orphans.js';
import { eachApart, type Refused } from './each-apart.js';
import { type Entry, entryOf, entryOfOrphan, join } from './entry.js';
import { LedgerRepository } from './ledger.repository.js';
import { OrphansRepository } from './orphans.repository.js';
import { RefusalsRepository } from './refusals.repository.js';
import { type RejectedUsage, RejectedUsageRepository, unreadable } from './rejected-usage.repository.js';
import { type Change, dayChanges, latencyChanges, minuteChanges, refusalChanges } from './roll-up.js';

/** Rows that a sweep takes at once. */
const SWEEP_ROWS = 500;

/** What one delivery brought. */
export interface Delivery {
  readonly records: readonly UsageRecord[];
  readonly orphans: readonly OrphanUsage[];
}

/** Counts each request once: its row, its sums and the last use of its key change in one transaction, or not at all. */
@Injectable()
export class Ledger {
  constructor(
    private readonly transactions: Transactions,
    private readonly ledger: LedgerRepository,
    private readonly orphans: OrphansRepository,
    private readonly rejected: RejectedUsageRepository,
    private readonly refusals: RefusalsRepository,
    private readonly claims: StreamClaims,
  ) {}

  /**
   * Records may come doubled, late and in any order. One that the database refuses is set aside, and all others are counted.
   * @returns those that were set aside.
   */
  async take({ records, orphans }: Delivery): Promise<RejectedUsage[]> {
    const { transactions } = this;
    const { believed, rejected } = await transactions.read((tx) => this.#claimed(tx, orphans));
    const refused = [
      ...rejected,
      ...(await eachApart(believed, (some) => transactions.run((tx) => this.orphans.put(tx, some)))).map(ofSubject(UsageOrphaned)),
      ...(await eachApart(records, (some) => transactions.run((tx) => this.#count(tx, some.map(entryOf))))).map(ofSubject(UsageRecorded)),
    ];
    await this.setAside(refused);
    return refused;
  }

  /** Counts requests that gateways refused, each count once. @returns those that were set aside. */
  async takeRefused(counts: readonly RefusedUsage[]): Promise<RejectedUsage[]> {
    const count = (some: readonly RefusedUsage[]): Promise<void> =>
      this.transactions.run(async (tx) => {
        const changes = refusalChanges(await this.refusals.putNew(tx, some));
        if (changes.length > 0) await this.ledger.addToMinutes(tx, changes);
      });
    const refused = (await eachApart(counts, count)).map(ofSubject(UsageRecorded));
    await this.setAside(refused);
    return refused;
  }

  /** Keeps what cannot be counted, for whoever looks into it. */
  async setAside(rejected: readonly RejectedUsage[]): Promise<void> {
    if (rejected.length > 0) await this.transactions.run((tx) => this.rejected.put(tx, rejected));
  }

  /** Counts what workers said and gateways did not within `waitMs`. @returns how many requests that were, and what was set aside. */
  adoptOrphans(waitMs: number): Promise<{ readonly adopted: number; readonly rejected: readonly RejectedUsage[] }> {
    return this.transactions.run(async (tx) => {
      const due = (await this.orphans.takeDue(tx, waitMs, SWEEP_ROWS)).map((record) => ({ record, read: OrphanUsage.safeParse(record) }));
      const readable = due.flatMap(({ read }) => (read.success ? [read.data] : []));
      // What an earlier release wrote down was not checked when it came.
      const checked = await this.#claimed(tx, readable);
      const refused = await eachApart(checked.believed, (some) => tx.transaction((within) => this.#count(within, some.map(entryOfOrphan))));
      const rejected = [
        ...due.flatMap(({ record, read }) => (read.success ? [] : [unreadable(UsageOrphaned, record, read.error)])),
        ...checked.rejected,
        ...refused.map(ofSubject(UsageOrphaned)),
      ];
      if (rejected.length > 0) await this.rejected.put(tx, rejected);
      return { adopted: due.length - rejected.length, rejected };
    });
  }

  /** Forgets single requests that began more than `days` ago; sums stay. */
  async prune(days: number): Promise<void> {
    await this.transactions.run((tx) => this.refusals.prune(tx, days));
    while ((await this.transactions.run((tx) => this.ledger.prune(tx, days, SWEEP_ROWS))) === SWEEP_ROWS);
  }

  async #claimed(tx: Tx, orphans: readonly OrphanUsage[]): Promise<ReturnType<typeof claimed>> {
    if (orphans.length === 0) return { believed: [], rejected: [] };
    const isUntimedRead = await this.orphans.isUntimedRead(tx);
    return claimed(this.claims, orphans, { now: Date.now(), isUntimedRead });
  }

  async #count(tx: Tx, entries: readonly Entry[]): Promise<void> {
    const news = new Map<string, Entry>();
    for (const entry of entries) {
      const other = news.get(entry.st);
      news.set(entry.st, other ? join(other, entry) : entry);
    }
    if (news.size === 0) return;
    const held = await this.ledger.hold(tx, [...news.values()]);
    const changes = [...news.values()].map((entry): Change => {
      const before = held.get(entry.st) ?? null;
      return { before, after: before ? join(before, entry) : entry };
    });
    await this.ledger.write(
      tx,
      changes.map(({ after }) => after),
    );
    await this.#addUp(tx, changes);
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
    await this.ledger.touch(tx, uses);
  }
}

const ofSubject =
  ({ subject }: EventContract) =>
  ({ item, reason }: Refused<object>): RejectedUsage => ({ subject, why: 'refused', reason, record: item });
