import { Injectable } from '@nestjs/common';
import type { OrphanUsage, UsageRecord } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { type Entry, entryOf, entryOfOrphan, join } from './entry.js';
import { LedgerRepository } from './ledger.repository.js';
import { OrphansRepository } from './orphans.repository.js';
import { type Change, dayChanges, latencyChanges, minuteChanges } from './roll-up.js';

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
  ) {}

  /** Records may come doubled, late and in any order. */
  take({ records, orphans }: Delivery): Promise<void> {
    return this.transactions.run(async (tx) => {
      if (orphans.length > 0) await this.orphans.put(tx, orphans);
      await this.#count(tx, records.map(entryOf));
    });
  }

  /** Counts what workers said and gateways did not within `waitMs`. @returns how many requests that were. */
  adoptOrphans(waitMs: number): Promise<number> {
    return this.transactions.run(async (tx) => {
      const due = await this.orphans.takeDue(tx, waitMs, SWEEP_ROWS);
      await this.#count(tx, due.map(entryOfOrphan));
      return due.length;
    });
  }

  /** Forgets single requests that began more than `days` ago; sums stay. */
  async prune(days: number): Promise<void> {
    while ((await this.transactions.run((tx) => this.ledger.prune(tx, days, SWEEP_ROWS))) === SWEEP_ROWS);
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
