import { type FileHandle, open } from 'node:fs/promises';
import type { ServedAdapter } from '@slipway/contracts';
import { EngineLoadError, hasSoundMetadata } from '@slipway/engine';
import { GgmlType, type GgufFileInfo, type GgufTensorInfo, readGgufFileInfo } from 'node-llama-cpp';
import { modelHashes } from './model-hashes.js';

const RANK_MAX = 256;
const TENSOR = /^(?<of>.+)\.lora_(?<half>[ab])$/;
/** Bytes of a number, and the bits of its 16 or 32 that are all set where it is infinite or none. */
const FLOATS: Readonly<Record<number, { readonly bytes: 2 | 4; readonly exponent: number }>> = {
  [GgmlType.F32]: { bytes: 4, exponent: 0x7f_80_00_00 },
  [GgmlType.F16]: { bytes: 2, exponent: 0x7c_00 },
  [GgmlType.BF16]: { bytes: 2, exponent: 0x7f_80 },
};
const CHUNK_BYTES = 1024 * 1024;
/** llama.cpp multiplies this tensor the other way round. */
const EMBEDDING = 'token_embd.weight';

/** Hashes of the template and the tokenizer that an adapter was made with. */
type TextHashes = Pick<ServedAdapter, 'template_sha256' | 'tokenizer_sha256'>;

const mismatch = (detail: string): EngineLoadError => new EngineLoadError('adapter_mismatch', detail);

type Half = Pick<GgufTensorInfo, 'dimensions'>;
const size = ({ dimensions }: Half, i: number): number => Number(dimensions[i] ?? 1);

/** A tensor of the base, and the two that an adapter has for it. */
interface Pair {
  readonly of: string;
  readonly base: Half | undefined;
  readonly a: Half | undefined;
  readonly b: Half | undefined;
}

/** What does not fit in a pair; null = it fits. */
function pairFault({ of, base, a, b }: Pair): string | null {
  if (!base) return `The base has no tensor ${of}.`;
  if (!a || !b) return `The adapter has half of ${of} only.`;
  const isEmbedding = of === EMBEDDING;
  const [from, to] = isEmbedding ? [size(b, 1), size(a, 1)] : [size(a, 0), size(b, 1)];
  const [rank, again] = isEmbedding ? [size(a, 0), size(b, 0)] : [size(a, 1), size(b, 0)];
  if (from !== size(base, 0) || to !== size(base, 1) || rank !== again) return `The adapter's ${of} has another shape than the base's.`;
  return rank > RANK_MAX ? `The adapter has rank ${rank}; at most ${RANK_MAX} is allowed.` : null;
}

/**
 * Whether an adapter's file is one for this base: kind, architecture, tokenizer, template, shapes, rank, and numbers that are
 * numbers. llama.cpp takes an adapter of any base with equal shapes, and NaN too.
 * @throws EngineLoadError `adapter_mismatch`
 */
export async function assertAdapterFits(path: string, base: GgufFileInfo, facts: TextHashes): Promise<void> {
  const hashes = modelHashes(base.metadata.tokenizer);
  if (hashes.templateSha256 !== facts.template_sha256)
    throw mismatch('The base has another chat template than the one that the adapter was made with.');
  if (hashes.tokenizerSha256 !== facts.tokenizer_sha256)
    throw mismatch('The base has another tokenizer than the one that the adapter was made with.');
  const adapter = await readAdapter(path);
  const [made, here] = [adapter.metadata.general.architecture, base.metadata.general.architecture];
  if (made !== here) throw mismatch(`The adapter is for ${made}, the base is ${here}.`);
  const tensors = adapter.fullTensorInfo ?? [];
  for (const pair of pairsOf(tensors, base)) {
    const fault = pairFault(pair);
    if (fault !== null) throw mismatch(fault);
  }
  await assertNumbers(path, tensors);
}

/** What a GGUF file says of itself and its tensors. */
export const readInfo = (path: string): Promise<GgufFileInfo> => readGgufFileInfo(path, { sourceType: 'filesystem', logWarnings: false });

async function readAdapter(path: string): Promise<GgufFileInfo> {
  if (!(await hasSoundMetadata(path).catch(() => false))) throw mismatch("The adapter's file is damaged.");
  const info = await readInfo(path).catch((cause: unknown) => {
    throw new EngineLoadError('adapter_mismatch', "The adapter's file is no GGUF file.", { cause });
  });
  const { general, adapter } = info.metadata as { general?: { type?: unknown }; adapter?: { type?: unknown } };
  if (general?.type !== 'adapter' || adapter?.type !== 'lora') throw mismatch("The adapter's file holds no LoRA adapter.");
  return info;
}

function pairsOf(tensors: readonly GgufTensorInfo[], base: GgufFileInfo): Pair[] {
  const halves = new Map<string, { a?: Half; b?: Half }>();
  for (const tensor of tensors) {
    const { of, half } = TENSOR.exec(tensor.name)?.groups ?? {};
    if (of === undefined) throw mismatch(`The adapter has a tensor ${tensor.name.slice(0, 64)}, which is no part of LoRA.`);
    halves.set(of, { ...halves.get(of), [half as 'a' | 'b']: tensor });
  }
  if (halves.size === 0) throw mismatch('The adapter has no tensors.');
  const ofBase = new Map((base.fullTensorInfo ?? []).map((tensor) => [tensor.name, tensor]));
  return [...halves].map(([of, { a, b }]) => ({ of, base: ofBase.get(of), a, b }));
}

async function assertNumbers(path: string, tensors: readonly GgufTensorInfo[]): Promise<void> {
  const file = await open(path);
  try {
    for (const tensor of tensors) {
      const floats = FLOATS[tensor.ggmlType];
      if (!floats) throw mismatch('The adapter has quantized tensors; F32, F16 and BF16 are taken.');
      const count = tensor.dimensions.reduce<number>((product, dimension) => product * Number(dimension), 1);
      if (!(await allNumbers(file, Number(tensor.fileOffset), count * floats.bytes, floats)))
        throw mismatch(`The adapter's ${tensor.name} is damaged: it ends early, or holds values that are no numbers.`);
    }
  } finally {
    await file.close();
  }
}

type Floats = (typeof FLOATS)[number];

async function allNumbers(file: FileHandle, from: number, bytes: number, { bytes: width, exponent }: Floats): Promise<boolean> {
  const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, bytes));
  for (let done = 0; done < bytes; done += buffer.length) {
    const wanted = Math.min(buffer.length, bytes - done);
    const { bytesRead } = await file.read(buffer, 0, wanted, from + done);
    if (bytesRead !== wanted) return false;
    const at = buffer.byteOffset;
    const values = width === 4 ? new Uint32Array(buffer.buffer, at, wanted / 4) : new Uint16Array(buffer.buffer, at, wanted / 2);
    for (const value of values) if ((value & exponent) === exponent) return false;
  }
  return true;
}
