import { z } from 'zod';
import { defineProcessRpc, type Role } from '../channel.js';
import { Actor } from '../identity/audit.js';
import { Incarnation } from '../ids.js';
import { openEnum } from '../schemas.js';

/** Levels in which operators think: error = a person must act, warn = degraded, info = life cycle and wide lines. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
/** The least severe level that a logger writes. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How long a level of the log is set, in seconds. */
export const LogLevelSpan = z.int().min(1).max(86_400).default(600);

/** Owners of these calls. An agent answers those of `worker`; a runner follows its agent. */
const OWNERS = ['gateway', 'worker', 'keys', 'deployments', 'console', 'tuning', 'trainer'] as const satisfies readonly Role[];
type SettingsOwner = (typeof OWNERS)[number];

/** The role under which a process answers these calls; null for roles that do not. */
export const settingsOwnerOf = (role: string): SettingsOwner | null =>
  role === 'agent' ? 'worker' : (OWNERS.find((owner) => owner === role) ?? null);

/** What a process writes into its log. */
export const ProcessLog = z.object({
  /** The level in force. */
  level: openEnum(LOG_LEVELS),
  /** The level of `LOG_LEVEL`, to which it goes back. */
  configured: openEnum(LOG_LEVELS),
  /** When it goes back; null = it is the configured one, or the change has no end. */
  until: z.iso.datetime().nullable(),
});
/** What a process writes into its log. */
export type ProcessLog = z.infer<typeof ProcessLog>;

/** Longest shown value of a setting, in characters. */
export const SETTING_CHARS_MAX = 2_000;

/** A setting of a process: a variable of its environment. */
const ProcessSetting = z.object({
  name: z.string().min(1).max(64),
  /** As the environment holds it, or the default; secrets are masked by the process itself. Null = it has no value. */
  value: z.string().max(SETTING_CHARS_MAX).nullable(),
  source: openEnum(['set', 'default']),
});

/** A process as it runs: its release, its start, and its settings without secrets. Changes nothing. */
export const ReadProcess = defineProcessRpc(OWNERS, {
  subject: 'sys.{env}.v1.{role}.{wk}.rpc.read-process',
  callers: ['ops'],
  request: z.object({}),
  reply: z.object({
    /** Name of the service in its log lines, such as `keys-service`. */
    service: z.string().max(64),
    wk: Incarnation,
    host: z.string().max(256),
    pid: z.int().positive(),
    release: z.string().min(1).max(40),
    started_at: z.iso.datetime(),
    log: ProcessLog,
    settings: z.array(ProcessSetting).max(500),
  }),
  errors: [],
  timeoutMs: 3_000,
});
/** What a process answers to `ReadProcess`. */
export type RunningProcess = z.infer<(typeof ReadProcess)['gateway']['reply']>;

/**
 * Sets the level of a process's log for a time, or with null back to that of `LOG_LEVEL`. A later call replaces an earlier one;
 * repeating it starts the time anew.
 */
export const SetLogLevel = defineProcessRpc(OWNERS, {
  subject: 'sys.{env}.v1.{role}.{wk}.rpc.set-log-level',
  callers: ['ops'],
  request: z.object({ level: z.enum(LOG_LEVELS).nullable(), seconds: LogLevelSpan, actor: Actor }),
  reply: ProcessLog,
  errors: [],
  timeoutMs: 3_000,
});
