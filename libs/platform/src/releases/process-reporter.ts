import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AskProcesses, type Incarnation, levelOf, ProcessReport, PROTOCOL, subjectOf, wildcardOf } from '@slipway/contracts';
import { type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { SLIPWAY_VERSION } from '../config/version.js';
import { roleOf } from '../nats/connect.js';
import { overWithin } from '../time/over-within.js';

/** How long the server's decision is waited for, in milliseconds: a server that hangs holds no start up. */
const DECIDED_WITHIN_MS = 2_000;

/** What a process says of itself. */
export interface ReporterOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly wk: Incarnation;
  readonly notReady: () => string | null;
}

/** Reports a process to operators who ask for all of them. */
export class ProcessReporter {
  readonly #subscription: Subscription | undefined;
  #refused = false;

  constructor(private readonly options: ReporterOptions) {
    const { nats, env } = options;
    if (!ProcessReport.publishers.some((role) => role === roleOf(nats))) return;
    this.#subscription = nats.subscribe(subjectOf(AskProcesses, { env }), {
      callback: (error) => {
        if (error) this.#refused = true;
        else this.#report();
      },
    });
  }

  /** Whether the server does not let this process be asked: its permissions are those of an older release. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Resolves once the server has decided whether this process may be asked. */
  async decided(): Promise<void> {
    // A refusal arrives before the answer to the flush, and is seen one turn later.
    await overWithin(DECIDED_WITHIN_MS, this.options.nats.flush()).catch(() => false);
    await new Promise((resolve) => setImmediate(resolve));
  }

  stop(): void {
    this.#subscription?.unsubscribe();
  }

  #report(): void {
    const { nats, env, wk, notReady } = this.options;
    const role = roleOf(nats);
    const report: ProcessReport = {
      wk,
      host: hostname(),
      release: SLIPWAY_VERSION,
      protocol: PROTOCOL,
      level: levelOf(role),
      not_ready: notReady()?.slice(0, 1_000) ?? null,
    };
    if (!nats.isClosed()) nats.publish(subjectOf(ProcessReport, { env, role, wk }), JSON.stringify(report));
  }
}

/** How long reports are waited for, in milliseconds. */
const GATHER_MS = 1_000;

/** A report with the role that NATS proves. */
export type GatheredReport = ProcessReport & { readonly role: string };

/**
 * Asks all processes of an environment what they are, and gathers their reports for a second. Needs the role `ops`.
 * @param wanted name of a process: when it has reported, the others are not waited for
 */
export async function gatherReports(nats: NatsConnection, env: string, wanted?: string): Promise<GatheredReport[]> {
  const reports = new Map<string, GatheredReport>();
  const found = new AbortController();
  const subscription = nats.subscribe(wildcardOf(ProcessReport, { env }), {
    callback: (error, message) => {
      const report = error ? null : readReport(message);
      if (report) reports.set(message.subject, report);
      if (report && report.wk === wanted) found.abort();
    },
  });
  nats.publish(subjectOf(AskProcesses, { env }), '{}');
  await delay(GATHER_MS, undefined, { signal: found.signal }).catch(() => undefined);
  subscription.unsubscribe();
  return [...reports.values()];
}

function readReport(message: Msg): GatheredReport | null {
  const [role = '', wk] = message.subject.split('.').slice(-2);
  const report = ProcessReport.message.safeParse(parse(message)).data;
  return report?.wk === wk && report !== undefined ? { ...report, role } : null;
}

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
