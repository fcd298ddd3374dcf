import { type EngineFinding, TESTED_MODELS_MAX } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import type { Logger } from '@slipway/platform';
import { probeUpstream, type UpstreamFacts } from './probe.js';
import { probeEmbeddings } from './probe-embeddings.js';
import { greetsAsOllama } from './probe-talent.js';
import { UpstreamClient } from './upstream-client.js';

const CONNECT_MS = 5_000;
/** For all questions together. */
const PATIENCE_MS = 8_000;
const NAME_CHARS = 256;
/** For the embedding that is asked for at last; the agent's answer is waited for 12 s. */
const EMBEDDING_MS = 3_000;

export interface TriedUpstream {
  readonly url: string;
  /** Absent = the server is asked which models it has. */
  readonly model?: string | undefined;
  readonly credential: string | undefined;
}

const NOTHING = { server: null, context: null, models: null } as const;

/** Asks a server once what loading a deployment of it would ask. Never throws: what is wrong is the finding. */
export async function tryUpstream(
  { url, model, credential }: TriedUpstream,
  log: Pick<Logger, 'warn'>,
): Promise<Omit<EngineFinding, 'ms'>> {
  const client = new UpstreamClient({ url, credential, connections: 1, connectTimeoutMs: CONNECT_MS });
  try {
    const facts = await learn(client, model);
    const dimensions = model === undefined ? null : await dimensionsOf(client, facts, model);
    return { ...findingOf(facts, model), ...(dimensions !== null && { dimensions }) };
  } catch (error) {
    if (!(error instanceof EngineLoadError)) {
      log.warn({ model, err: error }, 'engine.test_failed');
      return { outcome: 'unreachable', detail: 'The engine does not answer properly.', ...NOTHING };
    }
    return { outcome: error.reason === 'engine_refused' ? 'refused' : 'unreachable', detail: error.message, ...NOTHING };
  } finally {
    await client.close();
  }
}

async function learn(client: UpstreamClient, model: string | undefined): Promise<UpstreamFacts> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const facts = await probeUpstream(client, model ?? null, signal);
  const isOllama = facts.flavour === 'other' && (await greetsAsOllama(client, signal).catch(() => false));
  return isOllama ? { ...facts, flavour: 'ollama' } : facts;
}

/** Numbers of the model's embeddings; null where it makes none, or did not say in time. */
const dimensionsOf = (client: UpstreamClient, { flavour }: UpstreamFacts, model: string): Promise<number | null> =>
  probeEmbeddings(client, { flavour, model }, AbortSignal.timeout(EMBEDDING_MS)).catch(() => null);

function findingOf({ flavour, context, models }: UpstreamFacts, model: string | undefined): Omit<EngineFinding, 'ms'> {
  const isKnown = model === undefined || models === null || models.includes(model);
  return {
    outcome: isKnown ? 'answers' : 'model_unknown',
    detail: isKnown ? null : 'The engine does not list this model.',
    server: flavour,
    context,
    models: models && models.filter((name) => name.length <= NAME_CHARS).slice(0, TESTED_MODELS_MAX),
  };
}
