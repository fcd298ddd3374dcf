import type { AccountId, Actor, Origin } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import type { Transactions, Tx } from '../transactions.js';
import { AuditLog, type AuditRecord } from './audit-log.js';

/** Time in which refusals of one actor and object make one entry, in milliseconds. */
const WINDOW_MS = 60_000;
/** Most entries per replica in that time, and per account: sending calls that are refused costs nothing. */
const ENTRIES_MAX = 200;
const ACCOUNT_ENTRIES_MAX = 50;

/** A refused call. */
export interface AuditedRefusal {
  /** The proven actor and their own account, whatever account the call named. Absent = none proven; visible to operators only. */
  readonly by?: { readonly actor: Actor; readonly account: AccountId };
  /** Role of the process that called. */
  readonly caller: string;
  /** Template of the subject, such as `key.{env}.v1.rpc.create-key`. */
  readonly subject: string;
  /** A stable word. */
  readonly reason: string;
}

/** A failure that belongs to no account. */
export interface AuditedFailure {
  /** `<kind>.<verb>` */
  readonly action: string;
  readonly object: string;
  readonly reason: string;
  /** Facts of the first failure in an entry. */
  readonly origin: Origin;
}

interface Gathered extends Pick<AuditRecord, 'account' | 'actor' | 'action' | 'object' | 'origin'> {
  readonly caller?: string;
  readonly reasons: Set<string>;
  times: number;
}

/** What a `RefusalLog` needs. */
export interface RefusalLogOptions {
  readonly transactions: Pick<Transactions, 'run'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Looks up an actor's name for the entry; absent = number only. */
  readonly nameOf?: (tx: Tx, actor: Actor) => Promise<string | null>;
}

/**
 * Writes refusals into a service's audit log asynchronously: one entry per actor, object and minute, with a count. A killed
 * process loses the refusals since its last entry; each one is also in the process's log.
 */
export class RefusalLog {
  readonly #audit = new AuditLog();
  #gathered = new Map<string, Gathered>();
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: RefusalLogOptions) {}

  /** Records a refused call. Neither waits nor throws. */
  take({ reason, by, caller, subject }: AuditedRefusal): void {
    const object = `rpc:${subject.split('.').at(-1)}`;
    const of = by ?? { account: null, caller };
    this.#gather({ ...of, action: 'call.refused', object, reasons: new Set([reason]), times: 1 });
  }

  /** Records a failure outside of calls. Neither waits nor throws. */
  note({ reason, ...failure }: AuditedFailure): void {
    this.#gather({ ...failure, account: null, reasons: new Set([reason]), times: 1 });
  }

  /** Writes the gathered entries. After a failure they are written with the next ones. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes the gathered entries at shutdown, after the last refusal. */
  async stop(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  #gather(one: Gathered): void {
    this.#add(one);
    this.#timer ??= setTimeout(() => void this.flush(), WINDOW_MS).unref();
  }

  #add(one: Gathered): void {
    const name = `${one.actor ? nameOf(one.actor) : `unproven ${one.caller}`} ${one.action} ${one.object}`;
    const known = this.#gathered.get(name);
    if (known) {
      known.times += one.times;
      for (const reason of one.reasons) known.reasons.add(reason);
    } else if (this.#hasRoom(one.account)) this.#gathered.set(name, one);
    else this.#leftOut += one.times;
  }

  #hasRoom(account: AccountId | null): boolean {
    if (this.#gathered.size >= ENTRIES_MAX) return false;
    let own = 0;
    for (const one of this.#gathered.values()) own += one.account === account ? 1 : 0;
    return own < ACCOUNT_ENTRIES_MAX;
  }

  async #write(): Promise<void> {
    const { log, transactions } = this.options;
    const gathered = [...this.#gathered.values()];
    this.#gathered = new Map();
    if (this.#leftOut > 0) log.warn({ refusals: this.#leftOut }, 'audit.refusals_left_out');
    this.#leftOut = 0;
    if (gathered.length === 0) return;
    try {
      await transactions.run(async (tx) => {
        for (const one of gathered) await this.#record(tx, one);
      });
    } catch (error) {
      log.warn({ entries: gathered.length, err: error }, 'audit.refusals_unrecorded');
      for (const one of gathered) this.#add(one);
      this.#timer ??= setTimeout(() => void this.flush(), WINDOW_MS).unref();
    }
  }

  async #record(tx: Tx, { reasons, times, caller, ...entry }: Gathered): Promise<void> {
    const actorName = (entry.actor && (await this.options.nameOf?.(tx, entry.actor))) ?? null;
    const reason = [...reasons].toSorted((one, other) => one.localeCompare(other)).join(', ');
    await this.#audit.record(tx, { ...entry, actorName, facts: { times, reason, ...(caller !== undefined && { caller }) } });
  }
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'user') return `user:${actor.user}`;
  return actor.kind === 'key' ? `key:${actor.key}` : actor.kind;
}
