import { EngineLoadError, hasSoundMetadata } from '@slipway/engine';
import { readGgufFileInfo } from 'node-llama-cpp';
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
  return { architecture, parameters, context, hasTemplate: tokenizer.chat_template !== undefined, hashes: modelHashes(tokenizer) };
}

const invalid = (cause?: unknown): EngineLoadError =>
  new EngineLoadError('model_invalid', 'The file is damaged or not a GGUF model.', { cause });
