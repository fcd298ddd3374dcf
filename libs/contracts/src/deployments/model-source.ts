import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { engineFacts, enginesFor, optionFault } from '../engines/engine-kinds.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** Most characters of an engine option, and most texts in a list. */
const OPTION_CHARS = 4_096;
const OPTION_ITEMS = 256;
const OptionText = z.string().max(OPTION_CHARS);

/** The engine that loads a model, with its options. Readers keep kinds that only newer versions know. */
export const EngineChoice = z.object({
  /** A name in `ENGINE_KINDS`. */
  kind: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  /** By name: a text or a list of texts, as `ENGINE_KINDS` defines for the kind. */
  options: z.record(z.string().max(64), z.union([OptionText, z.array(OptionText).max(OPTION_ITEMS)])).optional(),
});
export type EngineChoice = z.infer<typeof EngineChoice>;

/** Absent = the default engine of the source. Readers of release 0.1 do not know it; their agents report no such engine. */
const engine = EngineChoice.optional();

/** Any server of the chat-completions contract. `url` is its base, with or without `/v1`. */
export const EngineSource = z.object({
  kind: z.literal('http'),
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  model: z.string().min(1).max(256),
  engine,
});

/** What a deployment serves: where its model is, and which engine loads it. Paths are paths on the workers. */
export const ModelSource = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), path: z.string().min(1).max(4_096), engine }),
  /** A GGUF over https, or `hf:user/repo/file.gguf`. `sha256` in hex: of the file; of the first one where the model is split. */
  z.object({
    kind: z.literal('download'),
    uri: z.string().min(1).max(2_048),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    engine,
  }),
  EngineSource,
]);
export type ModelSource = z.infer<typeof ModelSource>;

/**
 * A source in a request: its engine must load this kind of source and have the given options. Stored sources are not checked,
 * so that an older replica can show sources accepted by a newer one.
 */
export const RequestedSource = ModelSource.superRefine(({ kind, engine: chosen }, context) => {
  if (chosen === undefined) return;
  const facts = engineFacts(chosen.kind);
  const refuse = (message: string, ...path: string[]): void => context.addIssue({ code: 'custom', message, path: ['engine', ...path] });
  if (!facts?.sources.includes(kind)) return refuse(`The engines that load this source are ${enginesFor(kind).join(', ')}.`, 'kind');
  for (const [name, value] of Object.entries(chosen.options ?? {})) {
    const option = Object.hasOwn(facts.options, name) ? facts.options[name] : undefined;
    const fault = option ? optionFault(option, value) : `The engine ${chosen.kind} has no option of this name.`;
    if (fault !== null) refuse(fault, 'options', name);
  }
});

const Model = z.object({
  /** Source for create-deployment. */
  source: ModelSource,
  /** File name, for people. */
  name: z.string(),
  /** Of all parts; null = unknown. */
  bytes: z.int().nonnegative().nullable(),
  /** Hosts known to have it: cached downloads, or files that they serve now. */
  hosts: z.array(z.string()),
  /** The account's deployments whose newest revision names it. */
  deployments: z.array(DeploymentId),
});
/** A model that an account can name. */
export type ModelView = z.infer<typeof Model>;

/**
 * Models that the account can serve: GGUF files in the operator's model folders, as far as deployments-service sees them, and
 * the sources of the account's own deployments. Downloads of other accounts are not listed, because their URIs may be secret.
 * In pages of one message.
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
    /** Only models after this one: `next` of the previous reply. */
    after: ModelSource.optional(),
  }),
  reply: z.object({
    /** By name. */
    models: eachReadable(Model),
    /** True when the folders contain more models than could be listed. */
    truncated: z.boolean(),
    /** Pass it as `after` for the next page; null on the last one. Absent from older replicas. */
    next: ModelSource.nullable().optional(),
  }),
  errors: [],
  timeoutMs: 5_000,
});
