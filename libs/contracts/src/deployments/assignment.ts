import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { MessagePart } from './message-part.js';
import { ModelSource } from './model-source.js';

/** One deployment that an agent must keep running. */
export const AssignmentItem = z.object({
  dep: DeploymentId,
  /** Whose it is: what an agent keeps of deployments, it shares by this. Absent from senders up to 0.1.0. */
  account: AccountId.optional(),
  rev: z.int().positive(),
  source: ModelSource,
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive(),
  default_max_tokens: z.int().positive().nullable(),
  /** In clear: of an HTTP engine its credential, for agents without a key (`AgentHeartbeat.key`) where the operator allows it. */
  credential: z.string().optional(),
  /**
   * The secret of the source, sealed for the agent's key and bound to `credentialBinding`: the credential of an HTTP engine, or
   * the query of a download's address, with its question mark.
   */
  sealed: z.string().optional(),
});
export type AssignmentItem = z.infer<typeof AssignmentItem>;

/** What the secret of an item is bound to, so that it opens for this revision on this agent alone. */
export const credentialBinding = (item: { readonly dep: number; readonly rev: number; readonly wk: string }): string =>
  `assignment ${item.dep}:${item.rev} ${item.wk}`;

/**
 * All that an agent must run: what is not listed is unloaded. Sent on change and every 2 s, in as many parts as needed: an
 * agent obeys a series when it has all of it. Once the agent's heartbeat confirms a series, the repetition has no items
 * (`part.of` 0). Agents whose heartbeat has no `assigned` get everything in one message without `part`.
 * `term` rises with each elected placer; an agent ignores a lower one for as long as it hears the
 * higher one, and 30 s more: a database restored from a backup counts from lower terms again.
 */
export const Assignment = defineEvent({
  subject: 'dep.{env}.v1.wrk.{wk}',
  publishers: ['deployments'],
  subscribers: ['worker', 'agent'],
  message: z.object({
    term: z.int().positive(),
    items: z.array(AssignmentItem),
    /**
     * Deployments that this agent reports and that their owners stopped: what is unloaded of them ends its last streams as
     * `deployment_stopped`, everything else as `server_shutting_down`. Absent = all that is unlisted is stopped, as senders of
     * before 2027 mean it.
     */
    stopped: z.array(DeploymentId).optional(),
    /** Absent = the message is the whole assignment. */
    part: MessagePart.optional(),
  }),
});
export type Assignment = z.infer<typeof Assignment.message>;
