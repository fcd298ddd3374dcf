import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { AdapterId } from '../tuning/tuning-ids.js';
import { WorkerPool } from './assignments.js';
import { Counts } from './deployment-quotas.js';
import { RequestedSource } from './model-source.js';

const Allowed = z.object({
  /** False = the operator allows no such source. */
  allowed: z.boolean(),
  /** Allowed hosts: `host` or `*.domain` with all ports, `host:port` with one. Empty for files. */
  hosts: z.array(z.string()),
  /** What the operator must set to allow it, or more of it. */
  detail: z.string(),
});

const SourceNumbers = z.object({ file: z.int().positive(), download: z.int().positive(), http: z.int().positive() });

/** What an account may deploy: the operator's lists, defaults and bounds, the account's quotas, and the engines of connected workers. */
export const FindDeploymentOptions = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-options',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  reply: z.object({
    /** By kind of source. */
    sources: z.object({ file: Allowed, download: Allowed, http: Allowed }),
    /** Values of settings that a request does not name, by kind of source. */
    defaults: z.object({ replicas: SourceNumbers, slots: SourceNumbers }),
    /** Upper bounds of settings. `threads`: null while none is set and no worker is connected. */
    max: z.object({
      replicas: z.int().positive(),
      slots: z.int().positive(),
      context: z.int().positive(),
      threads: z.int().positive().nullable(),
    }),
    /** Kinds of engines that connected workers run, with the number of workers, draining ones left out. */
    engines: z.array(z.object({ kind: z.string(), workers: z.int().positive() })),
    /** Connected workers. */
    workers: z.int().nonnegative(),
    /** Quotas that apply to the account. */
    quotas: Counts,
    used: Counts,
  }),
  errors: [],
  timeoutMs: 3_000,
});

const Bytes = z.int().nonnegative();

const WorkerFit = z.object({
  agent: Incarnation,
  host: z.string(),
  /** Processors. */
  cores: z.int().positive(),
  gpus: z.int().nonnegative(),
  /** Absent from older replicas. */
  pool: WorkerPool.optional(),
  /** Null for workers that do not report it. */
  memory_total: Bytes.nullable(),
  /** Left for further models, once everything placed on this worker is loaded. */
  memory_free: Bytes,
  /** Null = the size of the model is unknown. */
  memory_needed: Bytes.nullable(),
  /** Whether a replica can be placed there now; null = unknown, because the size of the model is unknown. */
  fits: z.boolean().nullable(),
  /** Why it does not fit. */
  detail: z.string().nullable(),
  /** How long this model took to load there before, in milliseconds; null = unknown. */
  load_ms: z.int().nonnegative().nullable(),
});
/** Whether a replica fits on one worker. */
export type WorkerFit = z.infer<typeof WorkerFit>;

/**
 * Whether a deployment would find room, before it is created or updated. Nothing is reserved. The replicas of an update run beside
 * the present ones until they take over, so those count as taken.
 */
export const FitDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.fit-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  agents: true,
  reads: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Absent where an adapter is named, which brings its base. */
    source: RequestedSource.optional(),
    /** Counts base and adapter, and only workers that load adapters. */
    adapter: AdapterId.optional(),
    /** Tokens per sequence; absent = the model's own. */
    context: z.int().min(64).max(10_000_000).optional(),
    /** Absent = the default of the source. */
    slots: z.int().min(1).max(1_024).optional(),
    /** Absent = the default of the source. */
    replicas: z.int().min(1).max(64).optional(),
  }),
  reply: z.object({
    /** Size of the model's file; null = unknown, as of downloads, or none. */
    model_bytes: Bytes.nullable(),
    /** Memory of one replica, with its adapter; 0 for HTTP engines, null = unknown. */
    memory_needed: Bytes.nullable(),
    /** Wanted replicas, and how many of them find room now; null = unknown. */
    replicas: z.int().positive(),
    placeable: z.int().nonnegative().nullable(),
    /** By host, at most 1,000. */
    workers: eachReadable(WorkerFit, 1_000),
  }),
  errors: ['source_not_allowed', 'adapter_not_found'],
  timeoutMs: 5_000,
});
