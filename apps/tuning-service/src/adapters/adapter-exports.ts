import { Injectable } from '@nestjs/common';
import { BlobStore } from '../blobs/blob-store.js';
import type { AdapterRow } from './adapters.repository.js';

const BLOCK = 512;

/** Makes the files in which adapters leave: tar files with a card. They are blobs without a use, so they are removed a day later. */
@Injectable()
export class AdapterExports {
  constructor(private readonly blobs: BlobStore) {}

  /** @returns SHA-256 of the stored tar file */
  async make(row: AdapterRow, form: 'peft' | 'gguf'): Promise<string> {
    const card = Buffer.from(cardOf(row));
    const file = await this.blobs.require(row.account, form === 'gguf' ? row.gguf : row.peft);
    const name = form === 'gguf' ? 'adapter.gguf' : 'peft.tar';
    const archive = async function* (): AsyncGenerator<Uint8Array> {
      yield* entry('README.md', card.length, [card]);
      yield* entry(name, file.bytes, file.read());
      yield Buffer.alloc(2 * BLOCK);
    };
    return (await this.blobs.store(row.account, archive())).sha256;
  }
}

/** One file of a tar archive (ustar). */
async function* entry(name: string, bytes: number, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  yield header;
  yield* content;
  yield Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

const WORDS = new Map<boolean | null, string>([
  [true, 'passed'],
  [false, 'failed'],
]);
const wordOf = (passed: boolean | null): string => WORDS.get(passed) ?? 'not made';

function cardOf(row: AdapterRow): string {
  const checks = row.verdict?.checks.map(({ check, passed, detail }) => `- ${check}: ${wordOf(passed)}. ${detail}`) ?? [];
  return [
    `# ${row.name} v${row.version}`,
    '',
    `LoRA adapter of rank ${row.rank}, alpha ${row.alpha}, for ${row.modules.join(', ')}.`,
    '',
    `- base: ${row.base}, SHA-256 ${row.base_sha256}`,
    `- chat template: SHA-256 ${row.template_sha256}`,
    `- tokenizer: SHA-256 ${row.tokenizer_sha256}`,
    `- data set: ${row.dataset_name ?? 'none'} v${row.dataset_version ?? '-'}`,
    `- job ${row.job_id ?? '-'}, step ${row.step ?? '-'}, made ${row.created_at.toISOString()}`,
    `- GGUF form: SHA-256 ${row.gguf}`,
    '',
    '## Gate',
    '',
    `Verdict: ${row.verdict === null ? 'none' : wordOf(row.verdict.passed)}`,
    '',
    ...checks,
    '',
  ].join('\n');
}
