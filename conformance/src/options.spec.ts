import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

const BASE = ['--target', 'http://localhost:8000/v1', '--key', 'k'];

describe('the command line of the conformance tool', () => {
  it('runs all contracts and cases unless told otherwise', () => {
    expect(readOptions(BASE)).toMatchObject({
      contracts: ['chat', 'messages', 'responses', 'embeddings'],
      cases: undefined,
      engine: undefined,
    });
  });

  it('takes the key of the environment, which npm does not print', () => {
    expect(readOptions(BASE.slice(0, 2), { CONFORMANCE_KEY: 'e' })).toMatchObject({ key: 'e' });
  });

  it('reads numbers and ranges of cases', () => {
    expect(readOptions([...BASE, '--case', '12,14-16'])).toMatchObject({ cases: new Set([12, 14, 15, 16]) });
  });

  it('names the model of another deployment by its path or its mark', () => {
    const also = ['--also', 'stopped=http://h/deployment-3', '--also', 'alias=http://h/acme/demo#demo-7b'];
    expect(readOptions([...BASE, ...also])).toMatchObject({
      others: { stopped: { url: 'http://h/deployment-3', model: 'deployment-3' }, alias: { url: 'http://h/acme/demo', model: 'demo-7b' } },
    });
  });

  it.each([
    [['--key', 'k'], '--target'],
    [['--target', 'http://h'], '--key'],
    [[...BASE, '--contract', 'grpc'], 'grpc'],
    [[...BASE, '--case', 'x'], '"x"'],
    [[...BASE, '--also', 'other=http://h'], 'other=http://h'],
    [[...BASE, '--spare-key', 'k2'], '--revoke'],
    [[...BASE, '--colour'], '--colour'],
  ])('refuses %j and says why', (args, words) => {
    expect(() => readOptions(args)).toThrow(words);
  });
});
