import type { RejectCode, Start } from '@slipway/contracts';
import type { Logger, Msg } from '@slipway/platform';
import type { StreamSettings } from '../stream-settings.js';
import type { Admit, Generation, WorkerLoad } from '../types.js';
import type { Publisher } from '../wire/publisher.js';
import type { Subjects } from '../wire/subjects.js';
import type { WorkerIdentity } from './load-reporter.js';
import type { SenderCounters } from './sender-counters.js';
import { type ArrivedStart, StartIntake } from './start-intake.js';
import type { StreamTable } from './stream-table.js';
import { WorkerStream, type WorkerStreamHost } from './worker-stream.js';

/** Advice to a gateway whose start met a full worker, in milliseconds. */
const BUSY_RETRY_MS = 100;

export interface StartDeskOptions {
  readonly identity: WorkerIdentity;
  readonly settings: StreamSettings;
  readonly subjects: Subjects;
  readonly counters: SenderCounters;
  readonly publisher: Publisher;
  readonly table: StreamTable;
  readonly host: WorkerStreamHost;
  readonly admit: Admit;
  readonly load: () => WorkerLoad;
  readonly draining: () => boolean;
  /** Tells a stream's gateway that it is accepted. */
  readonly accepted: (stream: WorkerStream, json: string) => void;
  /** A stream was admitted and begins to run. */
  readonly begun: () => void;
  readonly log: Pick<Logger, 'error'>;
}

/** Where starts arrive: reads, refuses, recognises or admits each of them. */
export class StartDesk {
  private readonly intake: StartIntake;
  /** The answer to every start that is taken. */
  private readonly accept: string;

  constructor(private readonly options: StartDeskOptions) {
    const { identity, settings, subjects } = options;
    this.intake = new StartIntake(subjects, settings);
    const accept = { k: 'acc', wk: identity.wk, rev: identity.rev, fp: identity.fingerprint, lease_ms: settings.leaseMs };
    this.accept = JSON.stringify(accept);
  }

  arrived(msg: Msg, now: number): void {
    const { counters, table } = this.options;
    const arrived = this.intake.read(msg, now);
    if (arrived.kind === 'waiting') return;
    if (arrived.kind !== 'start') {
      counters.malformed += 1;
      if (arrived.kind === 'refused') this.reject(arrived.reply, arrived.code);
      return;
    }
    const { st, at } = arrived.start;
    const known = table.find(st, at);
    if (known) {
      counters.duplicates += 1;
      this.options.accepted(known, this.accept);
      known.replay(0);
    } else if (table.isPast(st, at)) counters.past += 1;
    else this.consider(arrived, now);
  }

  /** Forgets the parts of attempts that are not wanted any more. */
  cancelled(st: Start['st'], at: number): void {
    this.intake.drop(st, at);
  }

  /** Refuses starts whose parts did not come in time. */
  tick(now: number): void {
    for (const { reply, code } of this.intake.expire(now)) this.reject(reply, code);
  }

  private consider(arrived: ArrivedStart, now: number): void {
    const answer = this.refusalOf(arrived) ?? this.admit(arrived);
    if (typeof answer === 'string') this.reject(arrived.reply, answer);
    else this.begin(arrived, answer, now);
  }

  private begin({ address, reply, deadlineMs }: ArrivedStart, generation: Generation, now: number): void {
    const { host, identity, subjects, table, counters, accepted, begun } = this.options;
    const stream = new WorkerStream({
      host,
      address,
      reply,
      noInterest: subjects.noInterest(identity.wk, address.st, address.at),
      interest: table.interestOf(address.gw, now),
      deadlineMs,
    });
    table.add(stream, now);
    counters.started += 1;
    accepted(stream, this.accept);
    begun();
    void stream.run(generation);
  }

  private refusalOf({ start, deadlineMs }: ArrivedStart): RejectCode | null {
    const { identity, draining } = this.options;
    if (draining()) return 'draining';
    if (start.dep !== identity.dep || start.rev !== identity.rev) return 'not_here';
    return deadlineMs <= 0 ? 'deadline' : null;
  }

  private admit({ start, origin }: ArrivedStart): Generation | RejectCode {
    try {
      return this.options.admit(start, origin);
    } catch (err) {
      this.options.log.error({ st: start.st, err }, 'stream.admission_failed');
      return 'busy';
    }
  }

  private reject(reply: string, code: RejectCode): void {
    const { counters, publisher, identity, load } = this.options;
    counters.rejected += 1;
    const { used, slots } = load();
    const retry = code === 'busy' ? BUSY_RETRY_MS : 0;
    publisher.send(reply, JSON.stringify({ k: 'rej', wk: identity.wk, code, retry_ms: retry, used, slots }));
  }
}
