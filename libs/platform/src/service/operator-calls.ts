import { hostname } from 'node:os';
import {
  type Actor,
  type Incarnation,
  type LogLevel,
  type ProcessLog,
  ReadProcess,
  type RunningProcess,
  SetLogLevel,
  settingsOwnerOf,
} from '@slipway/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { ShownSetting } from '../config/shown-settings.js';
import { SLIPWAY_VERSION } from '../config/version.js';
import type { Logger } from '../log/logger.js';
import type { LogThreshold } from '../log/log-threshold.js';
import { roleOf } from '../nats/connect.js';
import { RpcResponder } from '../rpc/rpc-responder.js';

/** What a process answers operators with. */
export interface OperatorCallsOptions {
  readonly service: string;
  readonly wk: Incarnation;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  readonly threshold: LogThreshold;
  readonly settings: () => ShownSetting[];
}

type LevelRequest = z.output<(typeof SetLogLevel)['gateway']['request']>;

/** A level of the log that is set for a time. */
interface SetLevel {
  readonly until: Date;
  readonly timer: NodeJS.Timeout;
}

const startedAt = new Date(performance.timeOrigin).toISOString();

/** Answers operators who ask what a process is, and who change the level of its log for a time. */
export class OperatorCalls {
  readonly #responders: readonly RpcResponder[];
  #set: SetLevel | undefined;

  constructor(private readonly options: OperatorCallsOptions) {
    const { nats, env, log, wk } = options;
    const owner = settingsOwnerOf(roleOf(nats));
    const common = { nats, env, log, tokens: { wk } };
    this.#responders =
      owner === null
        ? []
        : [
            new RpcResponder(common, ReadProcess[owner], () => Promise.resolve(this.#read())),
            new RpcResponder(common, SetLogLevel[owner], (request) => Promise.resolve(this.#setLevel(request as LevelRequest))),
          ];
  }

  /** Answers what runs; a level that is set for a time ends with the process. */
  async stop(): Promise<void> {
    clearTimeout(this.#set?.timer);
    await Promise.all(this.#responders.map((responder) => responder.close()));
  }

  #read(): RunningProcess {
    const { service, wk, settings } = this.options;
    return {
      ...{ service, wk, host: hostname(), pid: process.pid, release: SLIPWAY_VERSION, started_at: startedAt },
      log: this.#log(),
      settings: settings(),
    };
  }

  #log(): ProcessLog {
    const { level, configured } = this.options.threshold;
    return { level, configured, until: this.#set?.until.toISOString() ?? null };
  }

  #setLevel({ level, seconds, actor }: LevelRequest): ProcessLog {
    if (level === null) {
      if (this.#set) this.#restore({ reason: 'reset', ...asker(actor) });
      return this.#log();
    }
    clearTimeout(this.#set?.timer);
    const timer = setTimeout(() => this.#restore({ reason: 'expired' }), seconds * 1_000).unref();
    this.#set = { until: new Date(Date.now() + seconds * 1_000), timer };
    this.#change(level, { until: this.#set.until.toISOString(), ...asker(actor) }, 'log.level_changed');
    return this.#log();
  }

  #restore(facts: object): void {
    clearTimeout(this.#set?.timer);
    this.#set = undefined;
    this.#change(this.options.threshold.configured, facts, 'log.level_restored');
  }

  #change(to: LogLevel, facts: object, event: 'log.level_changed' | 'log.level_restored'): void {
    const { threshold, log } = this.options;
    const from = threshold.level;
    threshold.change(to, () => log.info({ from, to, ...facts }, event));
  }
}

/** NATS proves that an operator asked; what they call themselves is their word. */
const asker = ({ kind, client }: Actor): object => ({ by: kind, ...(client !== undefined && { client }) });
