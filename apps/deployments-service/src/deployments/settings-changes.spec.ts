import { expect, it } from 'vitest';
import type { RevisionSettings } from './revision-settings.js';
import { settingsChanges } from './settings-changes.js';

const before: RevisionSettings = {
  source: { kind: 'file', path: 'models/a.gguf' },
  credential: 'sealed-one',
  context: null,
  slots: 2,
  threads: null,
  defaultMaxTokens: 100,
};

it('an update is written down field by field, with what it was before, and without a secret', () => {
  expect(settingsChanges(before, before)).toEqual({});
  const after = { ...before, source: { kind: 'file', path: 'models/b.gguf' } as const, context: 4_096, credential: 'sealed-two' };
  expect(settingsChanges(before, after)).toEqual({
    source: 'file models/a.gguf → file models/b.gguf',
    context: 'default → 4096',
    credential: 'changed',
  });
});
