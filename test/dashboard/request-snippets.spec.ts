import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { pythonLiteral, shellWord, typescriptLiteral } from '../../apps/dashboard/src/snippets/literals.js';
import { requestSnippet } from '../../apps/dashboard/src/snippets/request-snippets.js';

const target = { gateway: 'https://inference.example.com', path: 'deployment-3', model: 'deployment-3' };
const ODD = `it's "so" \\ $HOME \`id\`\nnext \u2028 ü 😀`;
const body = {
  model: 'deployment-3',
  messages: [{ role: 'user', content: ODD }],
  stream: true,
  stop: null,
  tools: [{ 'a-b': [true, false, 1.5, [], {}], description: 'x'.repeat(90) }],
};

describe('values in code', () => {
  it('are what they were, as TypeScript reads them', () => {
    expect(JSON.parse(runInNewContext(`JSON.stringify(${typescriptLiteral(body)})`) as string)).toEqual(body);
  });

  it('are what they were, as a shell reads them', () => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(ODD)}`]).toString()).toBe(ODD);
  });

  it('have the words of Python and its strings', () => {
    expect(pythonLiteral({ a: [true, false, null], b: "it's" })).toBe('{"a": [True, False, None], "b": "it\'s"}');
    expect(pythonLiteral({})).toBe('{}');
  });
});

describe('a request as code', () => {
  it.each([
    ['chat', 'chat/completions'],
    ['responses', 'responses'],
    ['messages', 'messages'],
  ] as const)('for %s by curl sends the body as it is, and the key from the environment', (contract, endpoint) => {
    const text = requestSnippet(contract, 'curl', target, body);
    const script = text.replace(/^curl -N/, 'printf "%s\\n"');
    const words = execFileSync('sh', ['-c', script], { env: { SLIPWAY_API_KEY: 'k-1' } }).toString();
    expect(words).toContain('k-1');
    expect(JSON.parse(words.slice(words.indexOf('\n{') + 1))).toEqual(body);
    expect(text).toContain(`https://inference.example.com/deployment-3/v1/${endpoint}`);
  });

  it('for messages leaves the stream to the SDK’s method', () => {
    for (const language of ['python', 'typescript'] as const) {
      expect(requestSnippet('messages', language, target, { stream: true, max_tokens: 5 })).not.toMatch(/stream[:=] ?[Tt]rue/);
    }
  });

  it.each(['python', 'typescript'] as const)('in %s holds no key and names the model', (language) => {
    const text = requestSnippet('chat', language, target, body);
    expect(text).not.toContain('svc_dep');
    expect(text).toMatch(/model[:=] ?["']deployment-3["']/);
  });
});
