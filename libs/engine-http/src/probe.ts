import { TESTED_MODELS_MAX } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { z } from 'zod';
import type { UpstreamFlavour } from './flavour.js';
import { FACTS_LIMIT, jsonOf, type UpstreamClient } from './upstream-client.js';
import type { UpstreamAnswer } from './upstream-exchange.js';

/** What an upstream reports about itself. */
export interface UpstreamFacts {
  readonly flavour: UpstreamFlavour;
  /** Tokens per sequence; null where it does not say. */
  readonly context: number | null;
  /** Whether its list of models holds ours; null without a list. */
  readonly listed: boolean | null;
  /** Names of its models, at most `TESTED_MODELS_MAX`, ours among them where it is listed; null without a list. */
  readonly models: readonly string[] | null;
}

const positive = z.number().int().positive().nullish().catch(null);

const Model = z.object({
  id: z.string(),
  owned_by: z.string().catch(''),
  /** vLLM, SGLang. */
  max_model_len: positive,
  /** llama-server. */
  meta: z.object({ n_ctx: positive }).nullish().catch(null),
});
type Model = z.infer<typeof Model>;
const Props = z.object({ default_generation_settings: z.object({ n_ctx: positive }) });

const FLAVOURS: ReadonlyMap<string, UpstreamFlavour> = new Map([
  ['vllm', 'vllm'],
  ['sglang', 'sglang'],
  ['llamacpp', 'llama-server'],
  ['library', 'ollama'],
]);

/** Bytes read of a list that is not parsed: most are shorter, and a connection whose answer is read to its end can be used again. */
const UNREAD_LIST_BYTES = 64 * 1024;

async function ask(client: UpstreamClient, path: string, textBytes: number, signal: AbortSignal): Promise<UpstreamAnswer> {
  try {
    return await client.ask(path, { signal, textBytes });
  } catch (cause) {
    throw new EngineLoadError('engine_unreachable', 'The engine does not answer at the address of this deployment.', { cause });
  }
}

/** @throws EngineLoadError when the answer shows that requests would fail. */
function assertUsable(status: number): void {
  if (status === 401 || status === 403) {
    throw new EngineLoadError('engine_refused', 'The engine refuses the credential of this deployment.');
  }
  if (status >= 500) throw new EngineLoadError('engine_unreachable', `The engine answers with status ${status}.`);
  if (status >= 300 && status < 400) {
    throw new EngineLoadError('engine_unreachable', 'The engine redirects to another address; give that one instead.');
  }
}

/**
 * Asks a server whether it takes requests: what `probeUpstream` refuses is refused here too, but nothing of the answer is parsed.
 * @throws EngineLoadError `engine_unreachable` or `engine_refused`.
 */
export async function checkUpstream(client: UpstreamClient, signal: AbortSignal): Promise<void> {
  const { status } = await ask(client, '/models', UNREAD_LIST_BYTES, signal);
  assertUsable(status);
}

/**
 * Asks a server which models it has. One that does not know the question is taken as it is: it answered.
 * @param model the wanted one; null = none, and the context is known only where the server has a single model
 * @throws EngineLoadError `engine_unreachable` or `engine_refused`.
 */
export async function probeUpstream(client: UpstreamClient, model: string | null, signal: AbortSignal): Promise<UpstreamFacts> {
  const list = await listModels(client, signal);
  if (!list) return { flavour: 'other', context: null, listed: null, models: null };
  const exact = list.find((entry) => idOf(entry) === model);
  const ours = Model.safeParse(exact ?? (list.length === 1 ? list[0] : undefined)).data;
  const flavour = flavourOf(model === null ? Model.safeParse(list[0]).data : ours);
  const facts = { flavour, listed: exact !== undefined, models: namesOf(list, model) };
  const reported = ours?.max_model_len ?? ours?.meta?.n_ctx ?? null;
  if (reported !== null || facts.flavour !== 'llama-server') return { ...facts, context: reported };
  return { ...facts, context: await contextFromProps(client, signal) };
}

const flavourOf = (model: Model | undefined): UpstreamFlavour => FLAVOURS.get(model?.owned_by ?? '') ?? 'other';

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const idOf = (entry: unknown): unknown => field(entry, 'id');

/** The first names of a list, and ours where it is further down. A list may have tens of thousands of entries. */
function namesOf(list: readonly unknown[], ours: string | null): string[] {
  const names: string[] = [];
  const most = ours === null ? TESTED_MODELS_MAX : TESTED_MODELS_MAX - 1;
  for (const entry of list) {
    const id = idOf(entry);
    if (typeof id === 'string' && (names.length < most || id === ours)) names.push(id);
    if (names.length === TESTED_MODELS_MAX) break;
  }
  return names;
}

/** Null where the server has no such list, or one that is too long to read. Its entries are whatever the server says. */
async function listModels(client: UpstreamClient, signal: AbortSignal): Promise<readonly unknown[] | null> {
  const { status, text } = await ask(client, '/models', FACTS_LIMIT, signal);
  assertUsable(status);
  const list = status === 200 ? field(jsonOf(text), 'data') : null;
  return Array.isArray(list) ? list : null;
}

/** Older llama-servers report the context of a slot only here. */
async function contextFromProps(client: UpstreamClient, signal: AbortSignal): Promise<number | null> {
  const { text } = await ask(client, '/../props', FACTS_LIMIT, signal);
  const props = Props.safeParse(jsonOf(text)).data;
  return props?.default_generation_settings.n_ctx ?? null;
}
