import { isAbsolute } from 'node:path';
import { commaList, hostList, natsFragment, postgresAddress, SECRET_KEYS, serviceFragment } from '@slipway/platform';
import { z } from 'zod';

const folders = commaList.refine((dirs) => dirs.every((dir) => isAbsolute(dir)), 'must be absolute folders, separated by commas');
const count = z.coerce.number().int().min(1);
const quota = z.coerce.number().int().min(0).max(1_000_000);

/** Environment of deployments-service. */
export const DeploymentsServiceConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    /** PostgreSQL server where the service makes its database `slipway_{env}_deployments`. */
    DATABASE_URL: postgresAddress.optional(),
    /** The database itself; wins over `DATABASE_URL`. */
    DEPLOYMENTS_DATABASE_URL: postgresAddress.optional(),
    /** Seals engine credentials: 64 hex characters, or several such keys separated by commas, the newest first. */
    SLIPWAY_SECRET_KEY: z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas'),
    /**
     * `to-old-workers` sends credentials of engines in clear to workers that are too old to have them sealed: for the time of
     * an upgrade in which deployments-service is newer than its workers. With `never` such workers get no deployment with a credential.
     */
    SEND_CLEAR_CREDENTIALS: z.enum(['never', 'to-old-workers']).default('never'),
    /** Absolute folders under which tenants may name model files, separated by commas; none = no model files. */
    MODEL_DIRS: folders,
    /** Hosts from which tenants may have models downloaded: `host`, `host:port` or `*.domain`; `hf:` names need huggingface.co. */
    MODEL_HOSTS: hostList,
    /** Hosts at which tenants may name HTTP engines, written like `MODEL_HOSTS`. */
    ENGINE_HOSTS: hostList,
    /** Requests that a replica serves at once where the owner does not say; HTTP engines get 256. */
    DEFAULT_SLOTS: count.max(1_024).default(4),
    /** Threads per llama.cpp model; absent = half of the processors of the agent that runs it. */
    DEFAULT_THREADS: count.max(1_024).optional(),
    /** The most that owners may ask for: threads of a model (absent = the processors of the largest worker), */
    THREADS_MAX: count.max(1_024).optional(),
    /** requests that a replica serves at once, */
    SLOTS_MAX: count.max(1_024).default(1_024),
    /** tokens per sequence, */
    CONTEXT_MAX: count.max(10_000_000).default(10_000_000),
    /** and replicas of a deployment. */
    REPLICAS_MAX: count.max(64).default(64),
    /** What an account may have where an operator set nothing else for it: deployments, stopped ones included, */
    QUOTA_DEPLOYMENTS: quota.default(100),
    /** replicas of all its deployments together, */
    QUOTA_REPLICAS: quota.default(200),
    /** and aliases. */
    QUOTA_ALIASES: quota.default(200),
    /** Changes of deployments and aliases that an account may make in a minute, in each replica; ten times as many in a row. */
    CHANGES_PER_MINUTE: count.max(100_000).default(60),
    /**
     * Time for which a revision stays loaded beside its successor after that took over, in milliseconds:
     * longer than `QUEUE_WAIT_MS` of the gateways, whose waiting requests still ask for the old one.
     */
    HANDOVER_MS: z.coerce.number().int().min(0).default(12_000),
    /** Size assumed of a model file that this service cannot see, such as a download, in bytes. */
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
