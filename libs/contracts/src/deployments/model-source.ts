import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { engineFacts, type EngineOption, enginesFor } from '../engines/engine-kinds.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** The most characters of one option of an engine, and the most texts of a list. */
const OPTION_CHARS = 4_096;
const OPTION_ITEMS = 256;
const OptionText = z.string().max(OPTION_CHARS);

/** The engine that loads a model, with its options. Readers keep kinds that only newer versions know. */
export const EngineChoice = z.object({
  /** A name in `ENGINE_KINDS`. */
  kind: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  /** By name: a text, or a list of texts, as `ENGINE_KINDS` says of the kind. */
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

/** What a deployment serves: where its model is, and which engine loads it. Paths are the workers', not the caller's. */
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

/** What is wrong with the value of an option; null = nothing. */
function optionFault({ form, chars, items }: EngineOption, value: string | readonly string[]): string | null {
  if ((form === 'list') !== Array.isArray(value)) return form === 'list' ? 'This option is a list of texts.' : 'This option is one text.';
  const texts = typeof value === 'string' ? [value] : value;
  if (texts.length > items) return `This option has at most ${items} texts.`;
  return texts.some((text) => text.length > chars) ? `A text of this option has at most ${chars} characters.` : null;
}

/**
 * A source in a request: its engine must be one that loads such a source, with options that it has. What is stored
 * and handed on is not held to that, so that an older replica can show what a newer one took.
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
/** A model that an account can name. */
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
