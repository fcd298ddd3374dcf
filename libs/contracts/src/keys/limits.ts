import { z } from 'zod';
import { DeploymentId } from '../ids.js';

const Limit = z.int().positive().max(1_000_000_000_000);

/**
 * What a key or an account may use at most; absent = no limit. Tokens are those of prompts and answers together. Days and
 * months are those of UTC; a request counts in the one in which it began.
 */
export const Limits = z.object({
  requests_per_minute: Limit.optional(),
  tokens_per_minute: Limit.optional(),
  /** Requests that run or wait at once. */
  concurrent_requests: Limit.optional(),
  tokens_per_day: Limit.optional(),
  tokens_per_month: Limit.optional(),
});
export type Limits = z.infer<typeof Limits>;

/** Says which names there are: one that nobody knows would otherwise be a limit that holds nothing. */
export const unknownNames =
  (what: string, shape: object) =>
  (issue: { readonly code?: string | undefined; readonly keys?: unknown }): string | undefined =>
    issue.code === 'unrecognized_keys'
      ? `There is no ${what} named ${(issue.keys as string[]).map((name) => JSON.stringify(name)).join(', ')}; there are ${Object.keys(shape).join(', ')}.`
      : undefined;

/** Limits as somebody asks for them: unknown names are refused. */
export const LimitsWish = z.strictObject(Limits.shape, { error: unknownNames('limit', Limits.shape) });

/** The only deployments that a key may call; null = all of its account. None of another account is opened by it. */
export const AllowedDeployments = z
  .array(DeploymentId)
  .min(1, 'Name at least one deployment, or null for all.')
  .max(1_000)
  .refine((ids) => new Set(ids).size === ids.length, 'Name each deployment once.')
  .nullable();
