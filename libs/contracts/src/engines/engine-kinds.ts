/** Where a model is: a file of the workers, a file to download, or a server that serves it already. */
export type SourceKind = 'file' | 'download' | 'http';

/** What decides the memory of a model of embeddings besides its file. */
export interface EmbeddingShape {
  /** Numbers of its vectors. */
  readonly width: number;
  /** Tokens of the longest text. */
  readonly context: number;
  /** Bytes of the key-value cache per token; 0 = the model reads whole texts and has none. */
  readonly cacheBytes: number;
}

/** What decides how much memory a loaded model takes. */
export interface ModelSize {
  readonly fileBytes: number;
  /** Tokens per sequence; null = the model's own. */
  readonly context: number | null;
  /** Sequences held at once. */
  readonly slots: number;
  /** Of a model of embeddings; absent = it answers conversations, or nobody knows. */
  readonly embeds?: EmbeddingShape | undefined;
}

/** An option that a deployment may give to its engine. */
export interface EngineOption {
  /** Name of its field in a form. */
  readonly label: string;
  /** What people should know to fill it in. */
  readonly hint: string;
  /** `text` = one text; `list` = several texts, one a line in a form. */
  readonly form: 'text' | 'list';
  /** The most characters of one text. */
  readonly chars: number;
  /** The most texts of a list. */
  readonly items: number;
  /** Regular expression that each text must match whole; absent = any text. */
  readonly pattern?: string;
}

/** Word in `AgentHeartbeat.features` of agents that load adapters. Others would serve the bare base, so they get no adapter. */
export const ADAPTER_FEATURE = 'adapter';
/** The same of agents that hand adapters to HTTP engines: they have a folder which such engines read too. */
export const ADAPTER_EXPORT_FEATURE = 'adapter-export';

/** All that services and people need to know of a kind of engine. Its code is a library of its own. */
export interface EngineKindFacts {
  /** Its name for people. */
  readonly title: string;
  /** Sources that it can load. Of the kinds that load a source, the first in the table is the default. */
  readonly sources: readonly SourceKind[];
  /** Options of a deployment, by name. What an operator decides, such as the path of a binary, is a setting of the worker. */
  readonly options: Readonly<Record<string, EngineOption>>;
  /** Bytes that one replica takes on its worker; null = none, because the model is computed elsewhere. */
  readonly memoryNeed: ((size: ModelSize) => number) | null;
  /** `runner` = each replica is a process of its own; `agent` = replicas run within the agent's process. */
  readonly process: 'runner' | 'agent';
  /** Replicas of a deployment whose owner names no number. */
  readonly replicas: number;
  /** True = it scales by itself: a deployment with fewer workers than replicas is not degraded. */
  readonly scalesItself: boolean;
  /** Requests at once for one replica whose owner names no number; null = what the operator set for loaded models. */
  readonly slots: number | null;
  /** The feature that an agent needs to run it with an adapter; null = it takes none. */
  readonly adapters: typeof ADAPTER_FEATURE | typeof ADAPTER_EXPORT_FEATURE | null;
}

/** Weights take their file's size, and compute buffers and fragmentation about a fifth of it. */
export const WEIGHTS_FACTOR = 1.2;
/**
 * Bytes of the key-value cache per token, as a share of the file. Four-bit models with grouped-query attention lie near it
 * (8 B parameters: 4.9 GB and 128 KiB per token); older ones need up to four times as much.
 */
const FILE_BYTES_PER_KV_BYTE = 32_768;
const MIN_KV_BYTES_PER_TOKEN = 4_096;
/**
 * Tokens per sequence of a GGUF model whose owner names no context. Its memory is allocated at load, so a model's full context,
 * often 128k, must be requested.
 */
export const DEFAULT_CONTEXT = 4_096;

/**
 * Bytes of compute buffers for each token and number of a vector, of a model of embeddings: it evaluates a whole text at once, each
 * slot in a context of its own. Measured with BERT models of 384 numbers in 12 layers, at 512 to 2,048 tokens and 1 to 4 slots.
 */
const EMBEDDING_BYTES = 40;

/** Bytes that a model takes in llama.cpp: weights, and what all its slots hold: the key-value cache, or the texts of embeddings. */
export function ggufMemory({ fileBytes, context, slots, embeds }: ModelSize): number {
  if (embeds) {
    const tokens = Math.min(context ?? DEFAULT_CONTEXT, embeds.context);
    return Math.ceil(fileBytes * WEIGHTS_FACTOR + (EMBEDDING_BYTES * embeds.width + embeds.cacheBytes) * tokens * slots);
  }
  const perToken = Math.max(MIN_KV_BYTES_PER_TOKEN, fileBytes / FILE_BYTES_PER_KV_BYTE);
  return Math.ceil(fileBytes * WEIGHTS_FACTOR + perToken * (context ?? DEFAULT_CONTEXT) * slots);
}

const MATRYOSHKA: EngineOption = {
  label: 'Embeddings may be shortened',
  hint: 'on: for a model whose first numbers of a vector are a vector too (Matryoshka). It changes nothing for other models.',
  form: 'text',
  chars: 3,
  items: 1,
  pattern: 'on|off',
};

/**
 * Every kind of engine. A further kind is a row here, and a library that the worker's list of engines names; contracts,
 * placement, the page, the command line and the MCP tools read this table.
 */
export const ENGINE_KINDS = {
  llama: {
    title: 'llama.cpp',
    sources: ['file', 'download'],
    options: { matryoshka: MATRYOSHKA },
    memoryNeed: ggufMemory,
    process: 'runner',
    replicas: 1,
    scalesItself: false,
    slots: null,
    adapters: ADAPTER_FEATURE,
  },
  'llama-server': {
    title: 'llama-server',
    sources: ['file', 'download'],
    // They become arguments of a process of the operator: none of them names a file, an address or a device.
    options: {
      gpu_layers: {
        label: 'Layers on the GPU',
        hint: 'A number; as many as fit unless it is set. It changes nothing on a worker without a GPU.',
        form: 'text',
        chars: 3,
        items: 1,
        pattern: '\\d{1,3}',
      },
      flash_attention: { label: 'Flash attention', hint: 'on, off or auto.', form: 'text', chars: 4, items: 1, pattern: 'on|off|auto' },
      cache_type: {
        label: 'Type of the key-value cache',
        hint: 'f16, q8_0 or q4_0: the smaller types take less memory and are less exact.',
        form: 'text',
        chars: 4,
        items: 1,
        pattern: 'f16|q8_0|q4_0',
      },
      matryoshka: MATRYOSHKA,
    },
    memoryNeed: ggufMemory,
    process: 'runner',
    replicas: 1,
    scalesItself: false,
    slots: null,
    adapters: null,
  },
  http: {
    title: 'HTTP engine (vLLM, SGLang, llama-server, Ollama)',
    sources: ['http'],
    options: { matryoshka: MATRYOSHKA },
    memoryNeed: null,
    process: 'agent',
    // One agent may be lost without a gap in service; it costs no memory.
    replicas: 2,
    scalesItself: true,
    // It queues and batches by itself.
    slots: 512,
    adapters: ADAPTER_EXPORT_FEATURE,
  },
} as const satisfies Readonly<Record<string, EngineKindFacts>>;

/**
 * What is wrong with the value of an option, in a sentence for whoever gave it; null = nothing.
 * @param value as it was given: one text, or a list of texts
 */
export function optionFault({ form, chars, items, pattern }: EngineOption, value: string | readonly string[]): string | null {
  if ((form === 'list') !== Array.isArray(value)) return form === 'list' ? 'This option is a list of texts.' : 'This option is one text.';
  const texts = typeof value === 'string' ? [value] : value;
  if (texts.length > items) return `This option has at most ${items} texts.`;
  if (texts.some((text) => text.length > chars)) return `A text of this option has at most ${chars} characters.`;
  const whole = pattern === undefined ? null : new RegExp(`^(?:${pattern})$`);
  return whole && !texts.every((text) => whole.test(text)) ? 'This option does not take this value.' : null;
}

/** The name of a kind of engine, as deployments and heartbeats say it. */
export type EngineKindName = keyof typeof ENGINE_KINDS;

const TABLE: Readonly<Record<string, EngineKindFacts>> = ENGINE_KINDS;

/** A source as far as its engine goes. */
interface EngineBound {
  readonly kind: SourceKind;
  readonly engine?: { readonly kind: string } | undefined;
}

/** The kinds that load this kind of source, the default first. */
export const enginesFor = (source: SourceKind): readonly string[] =>
  Object.keys(TABLE).filter((name) => TABLE[name]?.sources.includes(source));

/** The kind of engine that loads a source: the one that it names, else the default. It may be one that only newer versions know. */
export const engineKindOf = ({ kind, engine }: EngineBound): string => engine?.kind ?? enginesFor(kind)[0] ?? kind;

/** What is known of a kind of engine; null for one that only newer versions know. */
export const engineFacts = (name: string): EngineKindFacts | null => (Object.hasOwn(TABLE, name) ? (TABLE[name] ?? null) : null);

/** What is known of a source's engine. One that only newer versions know is taken for the default of the source. */
export function engineOf(source: EngineBound): EngineKindFacts {
  const facts = engineFacts(engineKindOf(source)) ?? engineFacts(engineKindOf({ kind: source.kind }));
  if (facts === null) throw new TypeError(`No engine loads sources of the kind "${source.kind}".`);
  return facts;
}
