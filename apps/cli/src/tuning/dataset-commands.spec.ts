import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Terminal } from '../terminal.js';
import { adapterNameOf } from './adapter-commands.js';
import { checkFile } from './check-file.js';
import { nameOfFile } from './dataset-commands.js';

it.each([
  ['/data/Support tickets.v2.jsonl.gz', 'support-tickets.v2'],
  ['faq.csv', 'faq'],
  ['__.json', 'data'],
  ['é.jsonl', 'data'],
  [`${'a'.repeat(80)}.jsonl`, 'a'.repeat(63)],
])('the file %s gives the name %s', (path, name) => {
  expect(nameOfFile(path)).toBe(name);
});

it.each([
  ['/tmp/support-v2-peft.tar', 'support'],
  ['My LoRA.gguf', 'my-lora'],
  ['.tar', 'adapter'],
])('the adapter in %s gets the name %s', (path, name) => {
  expect(adapterNameOf(path)).toBe(name);
});

describe('the check of a file before it is sent', () => {
  let folder: string;
  const terminal = new Terminal({ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });
  const good = (n: number): string =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `Question ${n}?` },
        { role: 'assistant', content: `Answer ${n}.` },
      ],
    });
  const file = async (name: string, lines: readonly string[]): Promise<string> => {
    await writeFile(join(folder, name), `${lines.join('\n')}\n`);
    return join(folder, name);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-check-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('accepts what the server would accept', async () => {
    const path = await file(
      'good.jsonl',
      Array.from({ length: 20 }, (_, n) => good(n)),
    );
    expect(await checkFile(path, {}, terminal)).toMatchObject({ state: 'ready', examples: 20 });
  });

  it('names the line that is wrong and the repair', async () => {
    const path = await file('bad.jsonl', [...Array.from({ length: 200 }, (_, n) => good(n)), '{"messages": []}']);
    const refused = checkFile(path, {}, terminal);
    await expect(refused).rejects.toMatchObject({ code: 'dataset_invalid', facts: { rejected: 1 } });
    await expect(refused).rejects.toThrow(/Line 201.*[\s\S]*--repair leave_out_rejected/);
    expect(await checkFile(path, { repairs: ['leave_out_rejected'] }, terminal)).toMatchObject({ state: 'ready', examples: 200 });
  });
});
