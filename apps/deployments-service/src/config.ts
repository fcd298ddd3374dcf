import { isAbsolute } from 'node:path';
import { commaList, hostList, migrateFragment, natsFragment, postgresAddress, SECRET_KEYS, serviceFragment } from '@slipway/platform';
import { z } from 'zod';

const folders = commaList.refine((dirs) => dirs.every((dir) => isAbsolute(dir)), 'must be absolute folders, separated by commas');
const count = z.coerce.number().int().min(1);
const quota = z.coerce.number().int().min(0).max(1_000_000);

/** Environment of deployments-service. */
export const DeploymentsServiceConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    ...migrateFragment,
    /** PostgreSQL server on which the service creates its database `slipway_{env}_deployments`. */
    DATABASE_URL: postgresAddress.optional(),
    /** The database itself; takes precedence over `DATABASE_URL`. */
    DEPLOYMENTS_DATABASE_URL: postgresAddress.optional(),
    /** Seals engine credentials: 64 hex characters, or several such keys separated by commas, the newest first. */
    SLIPWAY_SECRET_KEY: z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas'),
    /**
     * `to-old-workers` sends credentials unsealed to workers that have no key: for an upgrade during which deployments-service
     * is newer than its workers. With `never` such workers get no deployment with a credential.
     */
    SEND_CLEAR_CREDENTIALS: z.enum(['never', 'to-old-workers']).default('never'),
    /** Absolute folders under which tenants may name model files, separated by commas; empty = no model files. */
    MODEL_DIRS: folders,
    /** Hosts from which tenants may have models downloaded: `host`, `host:port` or `*.domain`; `hf:` names need huggingface.co. */
    MODEL_HOSTS: hostList,
    /** Hosts at which tenants may name HTTP engines, written like `MODEL_HOSTS`. */
    ENGINE_HOSTS: hostList,
    /** Slots of a replica where the owner names none; HTTP engines get 512. */
    DEFAULT_SLOTS: count.max(1_024).default(4),
    /** Threads per llama.cpp model; absent = half of the processors of the agent that runs it. */
    DEFAULT_THREADS: count.max(1_024).optional(),
    /** Most threads of a model that an owner may ask for; absent = the processors of the largest worker. */
    THREADS_MAX: count.max(1_024).optional(),
    /** Most slots of a replica that an owner may ask for. */
    SLOTS_MAX: count.max(1_024).default(1_024),
    /** Most tokens per sequence that an owner may ask for. */
    CONTEXT_MAX: count.max(10_000_000).default(10_000_000),
    /** Most replicas of a deployment that an owner may ask for. */
    REPLICAS_MAX: count.max(64).default(64),
    /** Default quota of an account: deployments, stopped ones included. */
    QUOTA_DEPLOYMENTS: quota.default(100),
    /** Default quota of an account: replicas of all its deployments. */
    QUOTA_REPLICAS: quota.default(200),
    /** Default quota of an account: aliases. */
    QUOTA_ALIASES: quota.default(200),
    /** Changes of deployments and aliases per minute and account, in each replica of this service; the burst is ten times as many. */
    CHANGES_PER_MINUTE: count.max(100_000).default(60),
    /**
     * How long a revision stays loaded after its successor has taken over, in milliseconds. Set it above `QUEUE_WAIT_MS` of
     * the gateways, whose queued requests still go to the old revision.
     */
    HANDOVER_MS: z.coerce.number().int().min(0).default(12_000),
    /** How long the load of a deployment that scales stays low before it gives up a replica, in milliseconds. */
    SCALE_DOWN_AFTER_MS: z.coerce.number().int().min(1_000).max(86_400_000).default(300_000),
    /** Pause between two looks at the figures of running rollouts, in milliseconds. */
    ROLLOUT_CHECK_MS: z.coerce.number().int().min(100).max(3_600_000).default(10_000),
    /** Assumed size of a model file that is not on this machine, such as a download, in bytes. */
    UNKNOWN_MODEL_BYTES: z.coerce
      .number()
      .int()
      .min(0)
      .default(2 * 2 ** 30),
  })
  .refine((config) => config.DATABASE_URL !== undefined || config.DEPLOYMENTS_DATABASE_URL !== undefined, {
    path: ['DATABASE_URL'],
    message: 'is missing; or set DEPLOYMENTS_DATABASE_URL',
  });
export type DeploymentsServiceConfig = z.infer<typeof DeploymentsServiceConfig>;
