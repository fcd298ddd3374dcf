import { describe, expect, it } from 'vitest';
import { readLogprobs } from './upstream-chunk.js';

describe('readLogprobs', () => {
  it('reads tokens with their alternatives', () => {
    const content = [
      {
        token: 'a',
        logprob: -0.5,
        bytes: [97],
        top_logprobs: [
          { token: 'a', logprob: -0.5, bytes: [97] },
          { token: 'b', logprob: -1 },
        ],
      },
    ];
    expect(readLogprobs({ content })).toEqual([
      {
        t: 'a',
        p: -0.5,
        top: [
          { t: 'a', p: -0.5 },
          { t: 'b', p: -1 },
        ],
      },
    ]);
  });

  it('never reports minus infinity, however a server writes it', () => {
    const content = [null, -Number.MAX_VALUE, -12_345, 'x'].map((logprob) => ({ token: 'a', logprob }));
    expect(readLogprobs({ content })?.map(({ p }) => p)).toEqual([-9_999, -9_999, -9_999, -9_999]);
  });

  it('keeps bytes only where the text differs', () => {
    const content = [
      { token: 'é', logprob: -1, bytes: [0xc3, 0xa9] },
      { token: '', logprob: -1, bytes: [0xf0, 0x9f] },
      { token: '\ufffd', logprob: -1, bytes: [0x98] },
    ];
    expect(readLogprobs({ content })?.map(({ b }) => b)).toEqual([undefined, [0xf0, 0x9f], [0x98]]);
  });

  it.each([undefined, null, {}, { content: null }, { content: [] }, { content: 'x' }, 'x', { content: [{ logprob: 1 }] }])(
    'reads none in %j',
    (value) => {
      expect(readLogprobs(value)).toBeNull();
    },
  );
});
