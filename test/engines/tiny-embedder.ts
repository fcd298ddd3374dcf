import { writeFile } from 'node:fs/promises';

/** Numbers of a vector of the tiny model. */
export const TINY_DIMENSIONS = 128;
/** Tokens of the longest text. */
export const TINY_CONTEXT = 128;
const FEED_FORWARD = 256;
const HEADS = 4;
const SEED = 42;

const MARKS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,!?-');
const WORDS = `a the of to in is it and on for with this that my your was are be not you we they he she at by from as or an
cat cats dog dogs sleeps sleep runs run sofa warm house garden sun rain rains weather cloud wet dry day night
ship harbour sea boat sails cargo crane port model text token vector server worker gateway stream key account
bank money invoice pays price number one two three four five six seven eight nine ten hello world`.split(/\s+/);
/** WordPiece as llama.cpp writes it: what begins a word has a mark before it. */
const VOCABULARY = [...MARKS, ...[...LETTERS, ...WORDS.filter((word) => word.length > 1)].map((word) => `▁${word}`), ...LETTERS];

/** Numbers of a normal distribution, the same for the same seed (mulberry32, Box-Muller). */
function gaussians(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

type Value =
  | readonly ['u32' | 'i32' | 'f32' | 'bool' | 'str', number | boolean | string]
  | readonly ['i32s' | 'strs', readonly (number | string)[]];
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, str: 8 } as const;
const ARRAY = 9;
const ALIGNMENT = 32;

function bytesOf(size: number, write: (buffer: Buffer) => unknown): Buffer {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
}
const u32 = (value: number): Buffer => bytesOf(4, (buffer) => buffer.writeUInt32LE(value));
const u64 = (value: number): Buffer => bytesOf(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

function scalar(type: keyof typeof TYPES, value: unknown): Buffer {
  if (type === 'str') return text(String(value));
  if (type === 'bool') return Buffer.from([value === true ? 1 : 0]);
  return bytesOf(4, (buffer) => (type === 'f32' ? buffer.writeFloatLE(Number(value)) : buffer.writeInt32LE(Number(value))));
}

function entry(name: string, [type, value]: Value): Buffer {
  if (type !== 'i32s' && type !== 'strs') return Buffer.concat([text(name), u32(TYPES[type]), scalar(type, value)]);
  const item = type === 'i32s' ? 'i32' : 'str';
  const items = value as readonly unknown[];
  return Buffer.concat([text(name), u32(ARRAY), u32(TYPES[item]), u64(items.length), ...items.map((one) => scalar(item, one))]);
}

const metadata = (pooling: number | null): Readonly<Record<string, Value>> => ({
  'general.architecture': ['str', 'bert'],
  'general.name': ['str', 'tiny embedder'],
  'bert.block_count': ['u32', 1],
  'bert.context_length': ['u32', TINY_CONTEXT],
  'bert.embedding_length': ['u32', TINY_DIMENSIONS],
  'bert.feed_forward_length': ['u32', FEED_FORWARD],
  'bert.attention.head_count': ['u32', HEADS],
  'bert.attention.layer_norm_epsilon': ['f32', 1e-12],
  'bert.attention.causal': ['bool', false],
  ...(pooling !== null && { 'bert.pooling_type': ['u32', pooling] }),
  'tokenizer.ggml.model': ['str', 'bert'],
  'tokenizer.ggml.token_type_count': ['u32', 2],
  'tokenizer.ggml.tokens': ['strs', VOCABULARY],
  'tokenizer.ggml.token_type': ['i32s', VOCABULARY.map((word) => (MARKS.includes(word) ? 3 : 1))],
  'tokenizer.ggml.bos_token_id': ['u32', 2],
  'tokenizer.ggml.eos_token_id': ['u32', 3],
  'tokenizer.ggml.unknown_token_id': ['u32', 1],
  'tokenizer.ggml.seperator_token_id': ['u32', 3],
  'tokenizer.ggml.padding_token_id': ['u32', 0],
  'tokenizer.ggml.cls_token_id': ['u32', 2],
  'tokenizer.ggml.mask_token_id': ['u32', 4],
});

/** Name, sizes, and the spread of its numbers; `norm` = all of them 1. */
type Tensor = readonly [name: string, sizes: readonly number[], spread: number | 'norm'];
const linear = (name: string, from: number, to: number): Tensor[] => [
  [`${name}.weight`, [from, to], 0.02],
  [`${name}.bias`, [to], 0],
];
const norm = (name: string): Tensor[] => [
  [`${name}.weight`, [TINY_DIMENSIONS], 'norm'],
  [`${name}.bias`, [TINY_DIMENSIONS], 0],
];
// The layer adds little to the words' own vectors, so texts that share words are near each other.
const TENSORS: readonly Tensor[] = [
  ['token_embd.weight', [TINY_DIMENSIONS, VOCABULARY.length], 1],
  ['token_types.weight', [TINY_DIMENSIONS, 2], 0.02],
  ['position_embd.weight', [TINY_DIMENSIONS, TINY_CONTEXT], 0.02],
  ...norm('token_embd_norm'),
  ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].flatMap((name) => linear(`blk.0.${name}`, TINY_DIMENSIONS, TINY_DIMENSIONS)),
  ...norm('blk.0.attn_output_norm'),
  ...linear('blk.0.ffn_up', TINY_DIMENSIONS, FEED_FORWARD),
  ...linear('blk.0.ffn_down', FEED_FORWARD, TINY_DIMENSIONS),
  ...norm('blk.0.layer_output_norm'),
];

/**
 * Writes a BERT model of one layer with fixed random weights, 0.8 MB. Its vectors are the same on every machine up to rounding, and
 * those of texts that share words are near each other.
 * @param pooling as GGUF numbers it; 1 = mean, null = the file names none.
 */
export async function writeTinyEmbedder(path: string, pooling: number | null = 1): Promise<void> {
  const next = gaussians(SEED);
  const entries = Object.entries(metadata(pooling));
  const parts = [
    Buffer.from('GGUF'),
    u32(3),
    u64(TENSORS.length),
    u64(entries.length),
    ...entries.map(([name, value]) => entry(name, value)),
  ];
  let offset = 0;
  const data: Buffer[] = [];
  for (const [name, sizes, spread] of TENSORS) {
    const numbers = new Float32Array(sizes.reduce((all, size) => all * size, 1)).map(() => (spread === 'norm' ? 1 : spread * next()));
    parts.push(text(name), u32(sizes.length), ...sizes.map(u64), u32(0), u64(offset));
    data.push(padded(Buffer.from(numbers.buffer)));
    offset += data.at(-1)?.length ?? 0;
  }
  await writeFile(path, Buffer.concat([padded(Buffer.concat(parts)), ...data]));
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)]);
