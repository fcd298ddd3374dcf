import { describe, expect, it } from 'vitest';
import { EMPTY_DRAFT, faultsOf } from '../deployment-draft.js';
import { readStored, storedText } from './draft-store.js';
import { sourceCards } from './source-step.js';
import { isOpen, shownStep, stepAfter, stepBefore } from './steps.js';

const draft = { ...EMPTY_DRAFT, name: 'Chat', path: '/m.gguf' };

describe('the steps of the create page', () => {
  it('open once those before them are without faults', () => {
    const faults = faultsOf({ ...draft, path: '' });
    expect(isOpen('model', faults)).toBe(true);
    expect(isOpen('size', faults)).toBe(false);
    expect(shownStep('name', faults)).toBe('model');
    expect(shownStep('name', faultsOf(draft))).toBe('name');
  });

  it('follow each other', () => {
    expect([stepBefore('source'), stepAfter('source'), stepAfter('name')]).toEqual([null, 'model', null]);
  });
});

describe('a draft that a tab keeps', () => {
  it('comes back, but never with its credential', () => {
    const stored = { like: 3, draft: { ...draft, credential: 'secret', engineOptions: { args: '-x' } } };
    expect(storedText(stored)).not.toContain('secret');
    expect(readStored(storedText(stored))).toEqual({ like: 3, draft: { ...stored.draft, credential: '' } });
  });

  it.each(['', 'null', '{}', '{"like":"1","draft":{}}', '[1]'])('is none where %j is stored', (text) => {
    expect(readStored(text)).toBeNull();
  });

  it('of another version keeps what is still known', () => {
    expect(readStored('{"like":0,"draft":{"name":"Chat","path":7,"gone":1}}')).toEqual({
      like: 0,
      draft: { ...EMPTY_DRAFT, name: 'Chat' },
    });
  });
});

describe('a source that the operator forbids', () => {
  it('is locked with what the operator must set', () => {
    const open = { allowed: true, hosts: [], detail: '' };
    const cards = sourceCards({ file: open, download: { allowed: false, hosts: [], detail: 'Set MODEL_HOSTS.' }, http: open });
    expect(cards.map(({ value, locked }) => [value, locked])).toEqual([
      ['file', undefined],
      ['download', 'Set MODEL_HOSTS.'],
      ['http', undefined],
    ]);
    expect(sourceCards(undefined).every(({ locked }) => locked === undefined)).toBe(true);
  });
});
