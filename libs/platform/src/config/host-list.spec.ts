import { describe, expect, it } from 'vitest';
import { HostList } from './host-list.js';

const allowed = (entries: string[], url: string): boolean => new HostList(entries).allows(new URL(url));

describe('HostList', () => {
  it.each([
    ['engine.local', 'http://engine.local:8000/v1', true],
    ['engine.local:8000', 'http://engine.local:8000/v1', true],
    ['engine.local:8000', 'http://engine.local:8001/v1', false],
    ['engine.local:80', 'http://engine.local/v1', true],
    ['engine.local:443', 'https://engine.local/v1', true],
    ['engine.local:443', 'http://engine.local/v1', false],
    ['ENGINE.local', 'http://Engine.LOCAL/v1', true],
    ['engine.local', 'http://engine.local./v1', false],
    ['engine.local', 'http://engine.local.evil.example/v1', false],
    ['engine.local', 'http://evil.example/engine.local', false],
    ['engine.local', 'http://xengine.local/v1', false],
    ['*.hf.co', 'https://cdn.hf.co/f', true],
    ['*.hf.co', 'https://hf.co/f', false],
    ['*.hf.co', 'https://evilhf.co/f', false],
    ['127.0.0.1', 'http://127.1:9/v1', true],
    ['127.0.0.1', 'http://2130706433/v1', true],
    ['127.0.0.1', 'http://localhost/v1', false],
    ['[::1]:9', 'http://[::1]:9/v1', true],
    ['[::1]', 'http://[0:0:0:0:0:0:0:1]:9/v1', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
  ])('%s and %s: %s', (entry, url, expected) => {
    expect(allowed([entry], url)).toBe(expected);
  });

  it('allows nothing when it is empty', () => {
    expect(allowed([], 'http://localhost/')).toBe(false);
  });

  it.each(['http://engine.local', 'a b', 'engine.local:', 'engine.local:99999', 'user@engine.local', 'engine.local/v1', ''])(
    'refuses "%s" at start',
    (entry) => {
      expect(() => new HostList([entry])).toThrow(TypeError);
    },
  );
});
