import { describe, expect, it } from 'vitest';
import { HostList } from './host-list.js';

describe('HostList', () => {
  it.each([
    [['models.example.com'], 'https://models.example.com/a.gguf', true],
    [['models.example.com'], 'https://MODELS.example.com:8443/a.gguf', true],
    [['models.example.com'], 'https://evil-models.example.com/a', false],
    [['models.example.com'], 'https://models.example.com.evil.net/a', false],
    [['127.0.0.1:9000'], 'http://127.0.0.1:9000/v1', true],
    [['127.0.0.1:9000'], 'http://127.0.0.1:9001/v1', false],
    [['example.com:443'], 'https://example.com/a', true],
    [['example.com:80'], 'https://example.com/a', false],
    [['*.hf.co'], 'https://cdn.us.hf.co/a', true],
    [['*.hf.co'], 'https://hf.co/a', false],
    [['*.hf.co'], 'https://nothf.co/a', false],
    [['[::1]'], 'http://[::1]:8000/', true],
    [['[::1]:8000'], 'http://[::1]:8000/', true],
    [['[::1]:8000'], 'http://[::1]:8001/', false],
    [['example.com'], 'https://example.com@evil.net/a', false],
    [[], 'https://example.com/', false],
  ])('%j and %s: %s', (entries, url, allowed) => {
    expect(new HostList(entries).allows(new URL(url))).toBe(allowed);
  });
});
