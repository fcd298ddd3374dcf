import type { Tokenizer } from '@slipway/model-text';
import { type LlamaModel, LlamaVocabularyType, type Token } from 'node-llama-cpp';

/** The tokenizer of a loaded GGUF model. */
export class LlamaTokenizer implements Tokenizer<Token> {
  readonly controlTexts: readonly string[];
  readonly #model: LlamaModel;

  constructor(model: LlamaModel) {
    this.#model = model;
    this.controlTexts = controlTexts(model);
  }

  get prefix(): Token | null {
    const { bos, shouldPrependBosToken } = this.#model.tokens;
    return shouldPrependBosToken ? bos : null;
  }

  tokenize(text: string, first: boolean): Token[] {
    // SentencePiece vocabularies put a space before every text; only the first text of a prompt may have it.
    const trims = !first && this.#model.vocabularyType === LlamaVocabularyType.spm;
    return trims ? this.#model.tokenize(text, true, 'trimLeadingSpace') : this.#model.tokenize(text, true);
  }
}

function controlTexts(model: LlamaModel): string[] {
  const texts: string[] = [];
  const vocabulary = model.fileInfo.metadata.tokenizer.ggml.tokens;
  for (const token of model.iterateAllTokens()) {
    const text = vocabulary[token];
    if (text === undefined) continue;
    const { control, unknown, userDefined } = model.getTokenAttributes(token);
    // Some files declare their turn marks as user-defined tokens; these are recognised by their form.
    if (control || unknown || (userDefined && /^<[|\uFF5C].*[|\uFF5C]>$/u.test(text))) texts.push(text);
  }
  return texts;
}
