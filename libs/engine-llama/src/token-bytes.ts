import { type LlamaModel, LlamaVocabularyType, type Token } from 'node-llama-cpp';

/** Bytes that tokens write; control tokens write nothing. */
export interface TokenBytes {
  /** @param before previously generated tokens, for vocabularies whose tokens depend on them. */
  of(token: Token, before: readonly Token[]): Uint8Array;
}

const NOTHING = new Uint8Array();

/**
 * The byte-level alphabet of GPT-2: printable Latin-1 characters are themselves, all other bytes are U+0100 and up.
 */
function byteLevelAlphabet(): Map<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 0x100; byte += 1) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    if (!printable) next += 1;
    alphabet.set(String.fromCharCode(printable ? byte : next - 1), byte);
  }
  return alphabet;
}

const ALPHABET = byteLevelAlphabet();

function fromByteLevel(piece: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of piece) {
    const byte = ALPHABET.get(char);
    if (byte === undefined) bytes.push(...Buffer.from(char));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function fromSentencePiece(piece: string): Uint8Array {
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(piece)?.[1];
  return byte === undefined ? Buffer.from(piece.replaceAll('\u2581', ' ')) : Uint8Array.of(Number.parseInt(byte, 16));
}

/** Bytes of a token by the vocabulary; null = only llama.cpp can decode it. */
function readPiece(model: LlamaModel, token: Token, marks: ReadonlySet<string>): Uint8Array | null {
  const attributes = model.getTokenAttributes(token);
  if (model.isEogToken(token)) return NOTHING;
  const piece = model.fileInfo.metadata.tokenizer.ggml.tokens[token];
  const marked = piece !== undefined && marks.has(piece);
  if ((attributes.control || attributes.unknown) && !marked) return NOTHING;
  if (piece === undefined) return null;
  if (marked || attributes.userDefined) return Buffer.from(piece);
  switch (model.vocabularyType) {
    case LlamaVocabularyType.bpe:
      return fromByteLevel(piece);
    case LlamaVocabularyType.spm:
      return fromSentencePiece(piece);
    default:
      return null;
  }
}

/**
 * Bytes per token. llama.cpp's own text of one token lacks the bytes of characters that several tokens share. Each token is looked up
 * once.
 * @param marks marks of calls and reasoning, which are text here even if they are control tokens.
 */
export function createTokenBytes(model: LlamaModel, marks: readonly string[]): TokenBytes {
  const markSet = new Set(marks);

  const known = new Map<Token, Uint8Array | null>();
  return {
    of(token, before) {
      let bytes = known.get(token);
      if (bytes === undefined) {
        bytes = readPiece(model, token, markSet);
        known.set(token, bytes);
      }
      return bytes ?? Buffer.from(model.detokenize([token], false, before.slice(-4)).replaceAll('\uFFFD', ''));
    },
  };
}
