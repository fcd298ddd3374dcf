import type { AdapterId } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { isSame, type RevisionSettings, settingsChanges, settingsColumns, settingsOf } from './revision-settings.js';

const before: RevisionSettings = {
  source: { kind: 'file', path: 'models/a.gguf' },
  adapter: null,
  credential: 'sealed-one',
  context: null,
  slots: 2,
  threads: null,
  defaultMaxTokens: 100,
};

it('lists the changes of an update without secrets', () => {
  expect(settingsChanges(before, before)).toEqual({});
  const after = { ...before, source: { kind: 'file', path: 'models/b.gguf' } as const, context: 4_096, credential: 'sealed-two' };
  expect(settingsChanges(before, after)).toEqual({
    source: 'file models/a.gguf → file models/b.gguf',
    context: 'default → 4096',
    credential: 'changed',
  });
});

it('an adapter is a setting that is stored in two columns', () => {
  const hash = 'a'.repeat(64);
  const adapter = {
    ...{ id: 7 as AdapterId, name: 'support', version: 3, sha256: hash, bytes: 9 },
    ...{ base_sha256: hash, template_sha256: hash, tokenizer_sha256: hash },
    witness: [{ prompt: [1], answer: [2], logprobs: [-1] }],
  };
  const after = { ...before, adapter };
  const { witness, ...stored } = adapter;
  expect(settingsColumns(after)).toEqual({ ...before, adapter: stored, witness });
  expect([settingsOf(settingsColumns(after)), settingsOf(settingsColumns(before))]).toEqual([after, before]);
  expect([isSame(before, after), isSame(after, { ...after })]).toEqual([false, true]);
  expect(settingsChanges(before, after)).toEqual({ adapter: 'none → support@3' });
});
