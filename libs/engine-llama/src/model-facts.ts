import type { BaseShape } from '@slipway/contracts';
import { EngineLoadError, hasSoundMetadata } from '@slipway/engine';
import { type GgufFileInfo, readGgufFileInfo } from 'node-llama-cpp';
import { type ModelHashes, modelHashes } from './model-hashes.js';

/** What a model file says of itself. */
export interface ModelFacts {
  readonly architecture: string;
  readonly parameters: number;
  /** Tokens that it was made for. */
  readonly context: number;
  /** Whether it has a chat template of its own. */
  readonly hasTemplate: boolean;
  readonly hashes: ModelHashes;
  /** Null where the file does not say, or its layers differ. */
  readonly shape: BaseShape | null;
}

interface SizedMetadata {
  readonly block_count?: unknown;
  readonly embedding_length?: unknown;
  readonly feed_forward_length?: unknown;
  readonly attention?: { readonly head_count?: unknown; readonly head_count_kv?: unknown; readonly key_length?: unknown };
}

/** Sizes of a model by the metadata of its file; null where one is missing, or a list because layers differ. */
export function modelShape(metadata: GgufFileInfo['metadata']): BaseShape | null {
  const { architecture } = metadata.general as { architecture: string };
  const all = ((metadata as unknown as Record<string, unknown>)[architecture] ?? {}) as SizedMetadata;
  const { head_count: heads, head_count_kv: kv = heads, key_length: head } = all.attention ?? {};
  const [width, vocabulary] = [all.embedding_length, metadata.tokenizer?.ggml.tokens.length];
  const divided = typeof width === 'number' && typeof heads === 'number' && heads > 0 ? width / heads : undefined;
  const head_size = head ?? divided;
  const shape = { layers: all.block_count, width, feed_forward: all.feed_forward_length, heads, kv_heads: kv, head_size, vocabulary };
  const isWhole = Object.values(shape).every((size) => Number.isSafeInteger(size) && Number(size) > 0);
  return isWhole ? (shape as BaseShape) : null;
}

/**
 * Reads the metadata of a GGUF file without loading it.
 * @returns null for a file that is no language model, such as an adapter or a part of images
 * @throws EngineLoadError `model_invalid` for a damaged one
 */
export async function readModelFacts(path: string): Promise<ModelFacts | null> {
  if (!(await hasSoundMetadata(path))) throw invalid();
  const { metadata, fullTensorInfo = [] } = await readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false }).catch(
    (cause: unknown) => {
      throw invalid(cause);
    },
  );
  const { architecture, type } = metadata.general as { architecture: string; type?: string };
  const { context_length: context } = ((metadata as unknown as Record<string, unknown>)[architecture] ?? {}) as {
    context_length?: unknown;
  };
  const { tokenizer } = metadata as { tokenizer?: typeof metadata.tokenizer };
  if ((type ?? 'model') !== 'model' || typeof context !== 'number' || !tokenizer) return null;
  const parameters = fullTensorInfo.reduce(
    (sum, { dimensions }) => sum + dimensions.reduce<number>((all, each) => all * Number(each), 1),
    0,
  );
  const [hasTemplate, hashes] = [tokenizer.chat_template !== undefined, modelHashes(tokenizer)];
  return { architecture, parameters, context, hasTemplate, hashes, shape: modelShape(metadata) };
}

const invalid = (cause?: unknown): EngineLoadError =>
  new EngineLoadError('model_invalid', 'The file is damaged or not a GGUF model.', { cause });
