import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const PAGES = ['README.md', 'docs/connect-your-client.md'];
/** Runs a block with libraries that take anything: what fails is the block itself. */
const RUN_PYTHON = `
import sys
from unittest.mock import MagicMock
for name in ("openai", "anthropic", "langchain_openai", "langchain_anthropic", "agents", "litellm", "pydantic_ai"):
    sys.modules[name] = MagicMock()
for name in ("models", "models.openai", "providers", "providers.openai"):
    sys.modules["pydantic_ai." + name] = MagicMock()
exec(compile(sys.stdin.read(), "block", "exec"), {})
`;

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const blocks: readonly Block[] = PAGES.flatMap((page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({ page, language, text: code }));
});
const of = (language: string): (readonly [string, string])[] =>
  blocks.filter((block) => block.language === language).map(({ page, text }, n) => [`${page}, block ${n + 1}`, text] as const);

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the examples of the pages', () => {
  it.skipIf(!has('python3')).each(of('python'))('run as typed in Python, with the key in SLIPWAY_API_KEY: %s', (_, text) => {
    const env = { PATH: process.env['PATH'] ?? '', SLIPWAY_API_KEY: 'svc_dep_x' };
    expect(() => execFileSync('python3', ['-c', RUN_PYTHON], { input: text, env, stdio: ['pipe', 'ignore', 'pipe'] })).not.toThrow();
  });

  it.each(of('ts'))('are TypeScript: %s', (_, text) => {
    const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true, compilerOptions: { module: ts.ModuleKind.ESNext } });
    expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
  });

  it.each(of('').filter(([, text]) => text.includes('curl ')))('are lines of a shell: %s', (_, text) => {
    expect(() => execFileSync('sh', ['-n'], { input: text })).not.toThrow();
  });

  it('name the key alike', () => {
    const names = blocks.flatMap(({ text }) => text.match(/\b\w*API_KEY\b/g) ?? []);
    const known = ['SLIPWAY_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(blocks.map(({ text }) => text).join('\n')).not.toMatch(/\bSLIPWAY_KEY\b/);
  });
});
