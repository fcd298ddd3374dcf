import { AssignmentItem, Incarnation, LOG_LEVELS, StateReason } from '@slipway/contracts';
import type { EngineLoadError } from '@slipway/engine';
import { TracingSettings } from '@slipway/platform';
import { z } from 'zod';

/** Counted since the runner started, so that a lost message loses nothing. */
export const RunnerFigures = z.object({
  running: z.int().nonnegative(),
  queued: z.int().nonnegative(),
  done: z.int().nonnegative(),
  cancelled: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  rejected: z.int().nonnegative(),
  promptTokens: z.int().nonnegative(),
  cachedTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
});
export type RunnerFigures = z.infer<typeof RunnerFigures>;

/** The settings of a runner process. Sent over the pipe, because every user can read a command line. */
export const RunnerSetup = z.object({
  env: z.string(),
  natsUrl: z.string(),
  /** Paths of the files for TLS, which the runner's user must be able to read. */
  natsTls: z.object({ ca: z.string().optional(), cert: z.string().optional(), key: z.string().optional() }).nullable(),
  /** Credentials that all workers share; null = the runner uses `identity`. */
  natsCredentialsDir: z.string().nullable(),
  /** Name of this runner. */
  wk: Incarnation,
  identity: z.object({ key: z.object({ public: z.string(), seed: z.string() }), jwt: z.string() }).nullable(),
  zone: z.string().nullable(),
  logLevel: z.enum(LOG_LEVELS),
  tracing: TracingSettings,
  gpu: z.enum(['off', 'auto']),
  /** The operator's program for this kind of engine; null = it needs none. */
  program: z.object({ path: z.string(), args: z.array(z.string()) }).nullable(),
  /** User that the runner switches to before it reads the model; null = it keeps its own. */
  user: z.object({ uid: z.int().positive(), gid: z.int().positive() }).nullable(),
  /** Whether the runner stays root where only root can read the model; else it fails. */
  mayStayRoot: z.boolean(),
  /** Process id of the agent. */
  agent: z.int().positive(),
  /** Time that running streams get when the agent died, in milliseconds. */
  orphanDrainMs: z.int().nonnegative(),
  item: AssignmentItem,
  /** The model's file on this host. */
  modelPath: z.string(),
  /** The item's adapter on this host, and what the model's file was when it was compared with the adapter's base. */
  adapter: z.object({ path: z.string(), baseIdentity: z.string() }).nullable(),
});
export type RunnerSetup = z.infer<typeof RunnerSetup>;

/** How a runner ends. */
export const DrainOptions = z.object({
  /** Time that running streams get, in milliseconds. */
  deadlineMs: z.number().nonnegative(),
  /** The deployment was stopped by its owner: no other worker can continue a stream that is cut off. */
  stopped: z.boolean(),
});
export type DrainOptions = z.infer<typeof DrainOptions>;

/** Time after a drain's deadline to free the engine and exit, where no client waits for the runner, in milliseconds. Large models take seconds. */
export const LEAVE_WITHIN_MS = 10_000;

/** Lines that a runner sends at once. */
export const MAX_LOG_BATCH = 500;

/** Agent to runner. */
export const AgentMessage = z.discriminatedUnion('k', [
  /** Serve this. Further ones, of adapters on the same base, join the first. */
  z.object({ k: z.literal('setup'), setup: RunnerSetup }),
  /** Take nothing new, finish what runs within the time, then leave; the process exits with its last runner. */
  z.object({ k: z.literal('drain'), wk: Incarnation, options: DrainOptions }),
  /** A renewed JWT of the runner's name, for its next reconnect. */
  z.object({ k: z.literal('renew'), wk: Incarnation, jwt: z.string() }),
  /** The level of the agent's log, which all runners of the process follow. */
  z.object({ k: z.literal('log level'), level: z.enum(LOG_LEVELS) }),
]);
export type AgentMessage = z.infer<typeof AgentMessage>;

/** What a runner reports of its loaded model. */
export const RunnerFacts = z.object({
  /** Incarnation of the runner, the `{wk}` of the stream protocol. */
  wk: z.string(),
  fingerprint: z.string(),
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  caps: z.array(z.string()),
});
export type RunnerFacts = z.infer<typeof RunnerFacts>;

/** Runner to agent. `wk` names the runner. */
export const RunnerMessage = z.discriminatedUnion('k', [
  z.object({ k: z.literal('progress'), wk: z.string(), progress: z.number().min(0).max(1) }),
  z.object({ k: z.literal('ready'), wk: z.string(), facts: RunnerFacts }),
  z.object({ k: z.literal('failed'), wk: z.string(), reason: StateReason, detail: z.string() }),
  /** Each second from the start: also shows that the runner's event loop turns. */
  z.object({ k: z.literal('heartbeat'), runners: z.array(z.object({ wk: z.string(), figures: RunnerFigures })) }),
  /** A drain has begun: the end of the process is not a crash now. */
  z.object({ k: z.literal('draining'), wk: z.string() }),
  /** The runner has ended; others of the process go on. */
  z.object({ k: z.literal('left'), wk: z.string() }),
  /** Lines of its log, as JSON. */
  z.object({ k: z.literal('log'), wk: z.string(), lines: z.array(z.string()).max(MAX_LOG_BATCH) }),
]);
export type RunnerMessage = z.infer<typeof RunnerMessage>;

/** The end of a runner that its agent did not ask for. */
export interface RunnerEnd {
  /** Whether it ended in a crash; else it drained. */
  readonly crash: boolean;
  readonly detail: string;
  /** Resolves when its process has ended; a drained runner finishes its streams first. */
  readonly over: Promise<void>;
}

/** Receives the events of a runner. After `failed` or `gone` come no further ones, except figures. */
export interface RunnerListener {
  progress(progress: number): void;
  ready(facts: RunnerFacts): void;
  figures(figures: RunnerFigures): void;
  /** The runner cannot serve. */
  failed(error: EngineLoadError): void;
  /** The runner ended, or began to drain, without a `stop` of the agent. */
  gone(end: RunnerEnd): void;
}

/** The agent's handle of a runner, in a process of its own or inside the agent. */
export interface RunnerHandle {
  readonly pid: number;
  /**
   * Admits no new streams and lets running ones end within the time. Resolves when the runner has ended. Called again, the
   * earlier deadline counts.
   */
  stop(options: DrainOptions): Promise<void>;
}
