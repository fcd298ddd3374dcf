import { expect, it } from 'vitest';
import { type RevisionSettings, settingsChanges } from './revision-settings.js';

const before: RevisionSettings = {
  source: { kind: 'file', path: 'models/a.gguf' },
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
