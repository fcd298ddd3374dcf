import { z } from 'zod';
import { embeddingQuestion } from './embed-texts.js';
import type { UpstreamFlavour } from './flavour.js';
import { readVectors } from './read-vectors.js';
import { FACTS_LIMIT, jsonOf, type UpstreamClient } from './upstream-client.js';

const OllamaWords = z.object({ capabilities: z.array(z.string()) });

/**
 * Numbers of the embeddings that a server makes with this model; null where it answers conversations. A server that does both with
 * one model is taken for one that answers conversations.
 */
export async function probeEmbeddings(
  client: UpstreamClient,
  { flavour, model }: { readonly flavour: UpstreamFlavour; readonly model: string },
  signal: AbortSignal,
): Promise<number | null> {
  const ask = async (path: string, body: unknown): Promise<string | null> => {
    try {
      const { status, text } = await client.ask(path, { signal, textBytes: FACTS_LIMIT, body });
      return status === 200 ? text : null;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  };
  // Ollama makes vectors with every model, and says which are made for it.
  if (flavour === 'ollama') {
    const words = OllamaWords.safeParse(jsonOf((await ask('/../api/show', { model })) ?? '')).data?.capabilities ?? [];
    if (!words.includes('embedding') || words.includes('completion')) return null;
  }
  const { path, body } = embeddingQuestion(flavour, model, ['Hello']);
  const dimensions = dimensionsOf(await ask(path, JSON.parse(body)));
  if (dimensions === null || flavour === 'ollama') return dimensions;
  const hello = { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 };
  return (await ask('/chat/completions', hello)) === null ? dimensions : null;
}

function dimensionsOf(text: string | null): number | null {
  try {
    return text === null ? null : readVectors(Buffer.from(text), { texts: 1, dimensions: null }).dimensions;
  } catch {
    return null;
  }
}
