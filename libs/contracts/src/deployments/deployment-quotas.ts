import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';

const Quota = z.int().nonnegative().max(1_000_000);

/** Quotas of an account that deployments-service enforces. */
export const DeploymentQuotas = z.object({
  /** Deployments, stopped ones included. */
  deployments: Quota.optional(),
  /** Wanted replicas of all deployments together; of one that scales by its load, the most that it may have. */
  replicas: Quota.optional(),
  aliases: Quota.optional(),
});
export type DeploymentQuotas = z.infer<typeof DeploymentQuotas>;

/** A number for each quota. */
export const Counts = z.object({ deployments: Quota, replicas: Quota, aliases: Quota });
/** A number for each quota: in use, or allowed. */
export type DeploymentCounts = z.infer<typeof Counts>;

const { deployments, replicas, aliases } = DeploymentQuotas.shape;

const change = { deployments: deployments.nullable(), replicas: replicas.nullable(), aliases: aliases.nullable() };

/** A change of quotas: null resets one to its default, absent ones stay. Unknown names are refused. */
const DeploymentQuotasChange = z.strictObject(change, { error: unknownNames('quota', change) });

/** The quotas of an account and their use. */
export const FindDeploymentQuotas = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-account-quotas',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  reply: z.object({
    /** Quotas that an operator set. */
    quotas: DeploymentQuotas,
    /** Quotas that apply where none was set. */
    defaults: Counts,
    used: Counts,
  }),
  errors: [],
  timeoutMs: 3_000,
});

/** Sets quotas of an account; for operators only. Existing objects stay, even beyond a quota. */
export const SetDeploymentQuotas = defineRpc({
  subject: 'dep.{env}.v1.rpc.set-account-quotas',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ account: AccountId, quotas: DeploymentQuotasChange, ...actorField }),
  reply: z.object({ quotas: DeploymentQuotas, defaults: Counts, used: Counts }),
  errors: [],
  timeoutMs: 3_000,
});
