import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';

const Count = z.int().nonnegative();
/** How many requests had each value, to within 5 %; values rise. */
const Histogram = z.array(z.tuple([z.number().nonnegative(), Count])).max(2_000);

/** What an alias's requests to one deployment came to. */
const DeploymentFigures = z.object({
  deployment: DeploymentId,
  /** Requests that are over, refused ones included. */
  requests: Count,
  /** Part of `requests` that failed by a fault of the servers, not of the client. */
  errors: Count,
  /** Answers that were completed. */
  completed: Count,
  /** Part of `completed` that ended at a token limit. */
  cut: Count,
  /** Milliseconds to the first token of completed answers. */
  first_token_ms: Histogram,
  /** Tokens of completed answers. */
  answer_tokens: Histogram,
});
/** What an alias's requests to one deployment came to. */
export type DeploymentFigures = z.infer<typeof DeploymentFigures>;

/**
 * Figures of an alias's requests by the deployment that answered, from the minute on in which `from` lies. It contains requests one or
 * two seconds after their end. For the guard of a rollout.
 */
export const CompareDeployments = defineRpc({
  subject: 'usage.{env}.v1.rpc.compare-deployments',
  owner: 'keys',
  callers: ['deployments'],
  queue: 'keys',
  request: z.object({
    account: AccountId,
    alias: AliasName,
    deployments: z.array(DeploymentId).min(1).max(2),
    from: z.iso.datetime(),
  }),
  /** One entry for each deployment of the request, in its order. */
  reply: z.object({ figures: z.array(DeploymentFigures).max(2), as_of: z.iso.datetime() }),
  errors: [],
  timeoutMs: 3_000,
});
