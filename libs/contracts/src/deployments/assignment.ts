import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId } from '../ids.js';
import { ModelSource } from './model-source.js';

/** One deployment that an agent must keep running. */
export const AssignmentItem = z.object({
  dep: DeploymentId,
  rev: z.int().positive(),
  source: ModelSource,
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive(),
  default_max_tokens: z.int().positive().nullable(),
  /** Of an HTTP engine; present only where one is set. */
  credential: z.string().optional(),
});
export type AssignmentItem = z.infer<typeof AssignmentItem>;

/**
 * All that an agent must run: what is not listed is unloaded. Sent on change and every 2 s.
 * `term` rises with each elected placer; an agent ignores a lower one for as long as it hears the
 * higher one, and 30 s more: a database restored from a backup counts from lower terms again.
 */
export const Assignment = defineEvent({
  subject: 'dep.{env}.v1.wrk.{wk}',
  publishers: ['deployments'],
  subscribers: ['worker'],
  message: z.object({
    term: z.int().positive(),
    items: z.array(AssignmentItem),
    /**
     * Deployments that this agent reports and that their owners stopped: what is unloaded of them ends its last streams as
     * `deployment_stopped`, everything else as `server_shutting_down`. Absent = all that is unlisted is stopped, as senders of
     * before 2027 mean it.
     */
    stopped: z.array(DeploymentId).optional(),
  }),
});
export type Assignment = z.infer<typeof Assignment.message>;
