import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** Any server of the chat-completions contract. `url` is its base, with or without `/v1`. */
export const EngineSource = z.object({
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  model: z.string().min(1).max(256),
});

/** Where a deployment's model comes from. Paths are the workers', not the caller's. */
export const ModelSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string().min(1).max(4_096) }),
  /** A GGUF over https, or `hf:user/repo/file.gguf`. `sha256` in hex: of the file; of the first one where the model is split. */
  z.object({
    kind: z.literal('download'),
    uri: z.string().min(1).max(2_048),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  }),
  EngineSource,
]);
export type ModelSource = z.infer<typeof ModelSource>;

const Model = z.object({
  /** What to name in create-deployment to serve it. */
  source: ModelSource,
  /** File name, for people. */
  name: z.string(),
  /** Of all its parts; null when no machine that has it says. */
  bytes: z.int().nonnegative().nullable(),
  /** Hosts known to have it: downloads in their cache, or files that they serve now. */
  hosts: z.array(z.string()),
  /** The account's deployments whose newest revision names it. */
  deployments: z.array(DeploymentId),
});
export type ModelView = z.infer<typeof Model>;

/**
 * Models that the account can name: GGUF files in the operator's model folders, as far as
 * deployments-service sees them, and what the account's own deployments name besides. What other
 * accounts downloaded is not shown: its address may be a secret. A reply holds as many as a message does.
 */
export const ListModels = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-models',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Only models behind this one in the list: `next` of the reply before. */
    after: ModelSource.optional(),
  }),
  reply: z.object({
    /** By name. */
    models: eachReadable(Model),
    /** The folders hold more than could be listed. */
    truncated: z.boolean(),
    /** Pass it as `after` for the next page; null on the last one. Absent from older replicas. */
    next: ModelSource.nullable().optional(),
  }),
  errors: [],
  timeoutMs: 5_000,
});
