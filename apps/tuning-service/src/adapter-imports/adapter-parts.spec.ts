import { describe, expect, it } from 'vitest';
import type { OpenBlob } from '../blobs/blob-store.js';
import { adapterParts } from './adapter-parts.js';
import { ImportRefusal } from './import-refusal.js';

type File = readonly [name: string, content: string | Buffer, kind?: string];

function header(name: string, size: number, kind: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(`        ${kind}`, 148);
  block.write('ustar', 257);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const tar = (...files: readonly File[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(([name, content, kind = '0']) => {
      const bytes = Buffer.from(content);
      return [header(name, bytes.length, kind), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
    }),
    Buffer.alloc(1_024),
  ]);

const blob = (content: Buffer): OpenBlob => ({
  bytes: content.length,
  read: async function* (start = 0, end = content.length) {
    yield content.subarray(start, end);
  },
});

/** The parts with their contents. */
async function read(content: Buffer): Promise<{ parts: Record<string, string>; base: unknown }> {
  const { parts, base } = await adapterParts(blob(content));
  return { parts: Object.fromEntries(parts.map(({ part, from, bytes }) => [part, content.toString('latin1', from, from + bytes)])), base };
}

const refusal = (content: Buffer): Promise<unknown> =>
  read(content).then(
    () => 'taken',
    (error: unknown) => (error instanceof ImportRefusal ? `${error.reason}: ${error.message}` : String(error)),
  );

const SHA = 'a'.repeat(64);
const CARD: File = ['README.md', `# support v2\n\n- base: svc-tiny.q8_0, SHA-256 ${SHA}\n`];
const PEFT: readonly File[] = [
  ['adapter_config.json', '{"r":8}'],
  ['adapter_model.safetensors', 'weights'],
];
const parts = { config: '{"r":8}', weights: 'weights' };
const base = { name: 'svc-tiny.q8_0', sha256: SHA };

describe('the file of an adapter', () => {
  it('is what an export wrote, in either form', async () => {
    expect(await read(tar(CARD, ['peft.tar', tar(...PEFT)]))).toEqual({ parts, base });
    expect(await read(tar(CARD, ['adapter.gguf', 'GGUF…']))).toEqual({ parts: { gguf: 'GGUFâ\u0080¦' }, base });
  });

  it('is a folder that PEFT saved, packed by any tar', async () => {
    const folder: File[] = [
      ['my-adapter/', '', '5'],
      ['./PaxHeaders/x', '30 mtime=1700000000.123\n', 'x'],
      ['my-adapter/._adapter_config.json', 'finder'],
      ...PEFT.map(([name, content]): File => [`my-adapter/${name}`, content, '\0']),
      ['my-adapter/training_args.bin', 'pickle'],
    ];
    expect(await read(tar(...folder))).toEqual({ parts, base: null });
  });

  it('is one GGUF', async () => {
    expect(await read(Buffer.from('GGUF and so on'))).toEqual({ parts: { gguf: 'GGUF and so on' }, base: null });
  });

  it('may name no base, or a wrong one, on its card', async () => {
    for (const card of ['', '- base: x, SHA-256 abc', `- base: , SHA-256 ${SHA}`])
      expect((await read(tar(['README.md', card], ...PEFT))).base).toBe(null);
  });

  it.each<[string, Buffer, string | RegExp]>([
    [
      'a pickle in an archive',
      tar(['adapter_model.bin', 'x'], ['adapter_config.json', '{}']),
      /^pickle: "adapter_model.bin" holds pickled/,
    ],
    ['what torch.save wrote', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(600)]), /^pickle: .*torch\.save.*save_pretrained/],
    ['a bare pickle', Buffer.concat([Buffer.from([0x80, 4]), Buffer.alloc(600)]), /^pickle: /],
    ['a compressed file', Buffer.from([0x1f, 0x8b, 8, 0]), /compressed/],
    ['weights alone', Buffer.concat([Buffer.from([9, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{"x":1}')]), /adapter_config\.json/],
    ['an archive without its configuration', tar(PEFT[1]!), /adapter_config\.json is missing/],
    ['an archive without its weights', tar(PEFT[0]!), /safetensors is missing/],
    ['two adapters', tar(['a.gguf', 'GGUF'], ['b.gguf', 'GGUF']), /more than one/],
    ['an archive that ends early', tar(...PEFT).subarray(0, 900), /ends early/],
    ['an archive with links', tar(['adapter_config.json', '', '2']), /links/],
    ['an archive of very many files', tar(...Array.from({ length: 300 }, (_, n): File => [`${n}`, ''])), /256/],
    ['a text', Buffer.from('hello'.repeat(300)), /^not_an_adapter: The file is neither/],
    ['nothing', Buffer.alloc(0), /^not_an_adapter/],
  ])('is not %s', async (_, content, why) => {
    expect(await refusal(content)).toMatch(why);
  });
});
