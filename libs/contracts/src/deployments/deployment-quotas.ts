import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Actor } from '../identity/audit.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';

const Quota = z.int().nonnegative().max(1_000_000);

/** How much of each an account may have of what deployments-service keeps. */
export const DeploymentQuotas = z.object({
  /** Deployments, stopped ones included. */
  deployments: Quota.optional(),
  /** Replicas of all deployments together, as they are wanted. */
  replicas: Quota.optional(),
  aliases: Quota.optional(),
});
export type DeploymentQuotas = z.infer<typeof DeploymentQuotas>;

const Counts = z.object({ deployments: Quota, replicas: Quota, aliases: Quota });
/** How many of each there are, or may be. */
export type DeploymentCounts = z.infer<typeof Counts>;

const { deployments, replicas, aliases } = DeploymentQuotas.shape;

const wish = { deployments: deployments.nullable(), replicas: replicas.nullable(), aliases: aliases.nullable() };

/** Changes quotas: null takes one back to its default, those that are not named stay. Unknown names are refused. */
const DeploymentQuotasWish = z.strictObject(wish, { error: unknownNames('quota', wish) });

/** The quotas of an account, and how much of them is in use. */
export const FindDeploymentQuotas = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-account-quotas',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  reply: z.object({
    /** Those that an operator set. */
    quotas: DeploymentQuotas,
    /** What holds where none was set. */
    defaults: Counts,
    used: Counts,
  }),
  errors: [],
  timeoutMs: 3_000,
});

/** Sets quotas of an account. Operators alone do this. What is there already stays, also beyond a quota. */
export const SetDeploymentQuotas = defineRpc({
  subject: 'dep.{env}.v1.rpc.set-account-quotas',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ account: AccountId, quotas: DeploymentQuotasWish, actor: Actor.optional() }),
  reply: z.object({ quotas: DeploymentQuotas, defaults: Counts, used: Counts }),
  errors: [],
  timeoutMs: 3_000,
});
