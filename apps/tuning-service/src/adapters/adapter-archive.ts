import type { AdapterView } from '@slipway/contracts';
import type { OpenBlob } from '../blobs/blob-store.js';

const BLOCK = 512;

/** One header of a tar archive (POSIX.1-1988 ustar): a regular file that anybody may read. */
function tarHeader(name: string, bytes: number, seconds: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(`${seconds.toString(8).padStart(11, '0')}\0`, 136, 'latin1');
  header.write(' '.repeat(8), 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

const padding = (bytes: number): Buffer => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);

/** What the archive says of the adapter: where it came from and what it belongs to. Holds no text of examples or answers. */
function cardOf(adapter: AdapterView): string {
  const { name, version, base, job, step, dataset_name: dataset, dataset_version: datasetVersion, rank, alpha, modules, verdict } = adapter;
  const checks = verdict?.checks.map(({ check, passed, detail }) => ({ check, passed, detail })) ?? [];
  const card = {
    ...{ name, version, base, base_sha256: adapter.base_sha256, template_sha256: adapter.template_sha256 },
    ...{ tokenizer_sha256: adapter.tokenizer_sha256, gguf_sha256: adapter.sha256, rank, alpha, modules },
    ...{ job, step, dataset, dataset_version: datasetVersion, created_at: adapter.created_at },
    gate: verdict === null ? null : { passed: verdict.passed, checks },
  };
  return `${JSON.stringify(card, null, 2)}\n`;
}

/** A tar archive with the adapter's card, then the adapter. The PEFT form is stored as an archive, which ends this one. */
export async function* adapterArchive(adapter: AdapterView, form: 'peft' | 'gguf', { bytes, read }: OpenBlob): AsyncGenerator<Buffer> {
  const seconds = Math.floor(Date.parse(adapter.created_at) / 1_000);
  const card = Buffer.from(cardOf(adapter));
  yield Buffer.concat([tarHeader('card.json', card.length, seconds), card, padding(card.length)]);
  if (form === 'gguf') yield tarHeader('adapter.gguf', bytes, seconds);
  yield* read();
  if (form === 'gguf') yield Buffer.concat([padding(bytes), Buffer.alloc(2 * BLOCK)]);
}
