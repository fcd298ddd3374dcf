import { createHash } from 'node:crypto';

/** The tokenizer part of a GGUF file's metadata, as node-llama-cpp reads it. */
interface TokenizerMetadata {
  readonly chat_template?: string | undefined;
  readonly ggml: object;
}

/** What a prompt is made with: two models with equal hashes render and tokenize alike. Hex SHA-256. */
export interface ModelHashes {
  /** Of the chat template's text; of the empty text where there is none. */
  readonly templateSha256: string;
  /** Of all that the file says of its tokenizer: vocabulary, merges, types, special tokens. */
  readonly tokenizerSha256: string;
}

/** Hashes of the template and the tokenizer in the metadata of a GGUF file. */
export function modelHashes(tokenizer: TokenizerMetadata): ModelHashes {
  return { templateSha256: hashOf(tokenizer.chat_template ?? ''), tokenizerSha256: hashOf(canonical(tokenizer.ggml)) };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON with fields sorted by name, so that the order in the file does not matter. */
const canonical = (fields: object): string =>
  JSON.stringify(
    Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value),
  );
