import type { ImportPart } from '@slipway/contracts';
import type { OpenBlob } from '../blobs/blob-store.js';
import { ImportRefusal } from './import-refusal.js';
import { filesIn, isTar, type TarFile } from './tar-files.js';

/** Largest configuration and card that are read, in bytes. */
const TEXT_MAX = 1024 * 1024;
/** Bytes by which a kind of file is recognised. */
const HEAD = 512;
/** The archive in which the PEFT form is exported, inside the one with the card. */
const NESTED = 'peft.tar';
const WEIGHTS = 'adapter_model.safetensors';
const CONFIG = 'adapter_config.json';
const CARD = 'readme.md';
const PICKLED = /\.(?:bin|pt|pth|pkl|pickle|ckpt)$/i;
/** As exports write it. */
const BASE_LINE = /^- base: (?<base>.{1,200}), SHA-256 (?<sha256>[0-9a-f]{64})$/m;

/** Where the parts of an adapter lie in a file, and the base that its card names. */
export interface AdapterParts {
  readonly parts: ImportPart[];
  readonly base: { readonly name: string; readonly sha256: string } | null;
}

/**
 * Finds an adapter in a file without reading more than its outline: a GGUF, or a tar archive with a GGUF or with the two files of PEFT.
 * @throws ImportRefusal
 */
export async function adapterParts(file: OpenBlob): Promise<AdapterParts> {
  const head = await bytesAt(file, 0, HEAD);
  if (head.toString('latin1', 0, 4) === 'GGUF') return { parts: [{ part: 'gguf', from: 0, bytes: file.bytes }], base: null };
  if (!isTar(head)) throw refusalOf(head);
  const read = (from: number, bytes: number): Promise<Buffer> => bytesAt(file, from, bytes);
  const outer = await filesIn({ read, from: 0, bytes: file.bytes });
  const nested = outer.find(({ name }) => name === NESTED);
  const files = nested ? [...outer, ...(await filesIn({ read, ...nested }))] : outer;
  const card = files.find(({ name, bytes }) => name.toLowerCase() === CARD && bytes <= TEXT_MAX);
  return { parts: partsOf(files), base: card ? baseOn((await read(card.from, card.bytes)).toString('utf8')) : null };
}

function partsOf(files: readonly TarFile[]): ImportPart[] {
  const ggufs = files.filter(({ name }) => /\.gguf$/i.test(name));
  if (ggufs.length > 1) throw new ImportRefusal('not_an_adapter', 'The archive holds more than one GGUF. Send one adapter at a time.');
  const [gguf] = ggufs;
  if (gguf) return [{ part: 'gguf', from: gguf.from, bytes: gguf.bytes }];
  const [weights, config] = [files.find(({ name }) => name === WEIGHTS), files.find(({ name }) => name === CONFIG)];
  if (weights && config && config.bytes <= TEXT_MAX)
    return [
      { part: 'weights', from: weights.from, bytes: weights.bytes },
      { part: 'config', from: config.from, bytes: config.bytes },
    ];
  const pickled = files.find(({ name }) => PICKLED.test(name));
  if (pickled) throw pickle(`"${pickled.name.slice(0, 100)}" holds`);
  if (config && config.bytes > TEXT_MAX) throw new ImportRefusal('not_an_adapter', `${CONFIG} is larger than 1 MiB.`);
  throw new ImportRefusal('not_an_adapter', `The archive must hold ${WEIGHTS} and ${CONFIG}, or a GGUF${missing(weights, config)}.`);
}

function missing(weights: TarFile | undefined, config: TarFile | undefined): string {
  if (weights && !config) return `; ${CONFIG} is missing`;
  return config && !weights ? `; ${WEIGHTS} is missing` : '';
}

function baseOn(card: string): AdapterParts['base'] {
  const { base, sha256 } = BASE_LINE.exec(card)?.groups ?? {};
  return base === undefined || sha256 === undefined ? null : { name: base, sha256 };
}

const pickle = (what: string): ImportRefusal =>
  new ImportRefusal(
    'pickle',
    `${what} pickled Python objects, which can run code when they are read. Save the adapter as safetensors: save_pretrained(…, safe_serialization=True).`,
  );

/** What a file is that is neither an archive nor a GGUF. */
function refusalOf(head: Buffer): ImportRefusal {
  const [first, second] = [head[0] ?? 0, head[1] ?? 0];
  // torch.save writes a zip archive; older versions wrote the pickle itself.
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') return pickle('The file is a zip archive, as torch.save writes it, with');
  if (first === 0x80 && second >= 2 && second <= 5) return pickle('The file holds');
  if (first === 0x1f && second === 0x8b)
    return new ImportRefusal('not_an_adapter', 'The file is compressed. Send the archive or the GGUF itself.');
  if (head[8] === 0x7b)
    return new ImportRefusal(
      'not_an_adapter',
      `Weights alone do not say how they are scaled. Pack ${WEIGHTS} and ${CONFIG} into one tar archive.`,
    );
  return new ImportRefusal('not_an_adapter', 'The file is neither a tar archive nor a GGUF.');
}

async function bytesAt(file: OpenBlob, from: number, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of file.read(from, Math.min(file.bytes, from + bytes))) pieces.push(piece);
  return Buffer.concat(pieces);
}
