import { describe, expect, it } from 'vitest';
import { readChoice } from './code-choice.js';
import { type CodeContract, exportLine, inferenceSnippet, type Language } from './inference-snippets.js';
import { type McpSnippet, mcpSnippets } from './mcp-snippets.js';

const target = { gateway: 'https://inference.example.com', path: 'acme/qwen2.5', model: 'qwen2.5' };
const CASES = (['chat', 'responses', 'messages', 'embeddings'] as const).flatMap((contract: CodeContract) =>
  (['curl', 'python', 'typescript'] as const).map((language: Language) => [contract, language] as const),
);

describe('a first request', () => {
  it.each(CASES)('in %s for %s names address, model and key once each', (contract, language) => {
    const text = inferenceSnippet(contract, language, target, 'svc_dep_x');
    const base = `https://inference.example.com/acme/qwen2.5${contract === 'messages' ? '' : '/v1'}`;
    expect(text).toContain(base);
    expect(text).not.toContain('/v1/v1');
    expect(text.split('svc_dep_x')).toHaveLength(2);
    expect(text).toMatch(/model["']?\s*[:=]\s*["']qwen2\.5["']/);
  });

  it.each(CASES)('in %s for %s reads the variable where no key is known', (contract, language) => {
    expect(inferenceSnippet(contract, language, target)).toContain('SLIPWAY_API_KEY');
  });

  it('comes with the line that sets its variable', () => {
    expect(exportLine('svc_dep_x')).toBe('export SLIPWAY_API_KEY=svc_dep_x');
  });

  it('is shown as it was chosen last', () => {
    expect(readChoice('python messages')).toEqual({ language: 'python', contract: 'messages' });
    expect(readChoice('typescript responses')).toEqual({ language: 'typescript', contract: 'responses' });
    expect(readChoice('fortran')).toEqual({ language: 'curl', contract: 'chat' });
    expect(readChoice(null)).toEqual({ language: 'curl', contract: 'chat' });
  });

  it.each(['chat', 'responses', 'messages'] as const)('by curl for %s has a body that is JSON', (contract) => {
    const body = /-d '(.*)'$/.exec(inferenceSnippet(contract, 'curl', target))?.[1] ?? '';
    expect(JSON.parse(body)).toMatchObject({ model: 'qwen2.5', stream: true });
  });
});

describe('a first request for embeddings', () => {
  it('by curl has a body that is JSON', () => {
    const body = /-d '(.*)'$/.exec(inferenceSnippet('embeddings', 'curl', target))?.[1] ?? '';
    expect(JSON.parse(body)).toEqual({ model: 'qwen2.5', input: [expect.any(String), expect.any(String)] });
  });
});

describe('the settings of an MCP client', () => {
  const url = 'https://console.example.com/mcp';

  it('are JSON wherever they are a file', () => {
    const files = mcpSnippets(url, 'svc_mcp_x').filter(({ text }) => text.startsWith('{'));
    expect(files.length).toBeGreaterThan(5);
    for (const { text, client } of files) expect(() => JSON.parse(text) as unknown, client).not.toThrow();
  });

  it('hold the address, and the key nowhere once it is gone', () => {
    for (const { text, variable = '', note = '', client } of mcpSnippets(url, null)) {
      expect(text, client).toContain(url);
      expect(text + variable + note, client).not.toContain('svc_mcp_');
    }
  });

  it('keep the key out of files that are shared', () => {
    for (const { text, place } of mcpSnippets(url, 'svc_mcp_x').filter(({ place: at }) => at.startsWith('.'))) {
      expect(text, place).not.toContain('svc_mcp_x');
    }
  });

  it('end with the header where an option behind it would be swallowed', () => {
    expect(mcpSnippets(url, 'k')[0]?.text).toMatch(/--header "Authorization: Bearer k"$/);
  });

  it('allow plain HTTP by name beyond this machine only', () => {
    const last = (at: string): string => mcpSnippets(at, 'k').at(-1)?.text ?? '';
    expect(last('http://console.internal:8081/mcp')).toContain('--allow-http');
    expect(last('http://127.0.0.1:8081/mcp')).not.toContain('--allow-http');
    expect(last(url)).not.toContain('--allow-http');
  });

  it('lead to the address for reading where an agent may change nothing', () => {
    const readonly = mcpSnippets(`${url}/readonly`, 'k');
    expect(readonly.map(({ client }) => client)).toEqual(mcpSnippets(url, 'k').map(({ client }) => client));
    expect(readonly).toHaveLength(10);
    for (const { text, client } of readonly) expect(text, client).toContain(`${url}/readonly`);
  });

  it('say how to set each variable that they name', () => {
    for (const { text, variable, client } of mcpSnippets(url, 'svc_mcp_x')) {
      expect(variable, client).toBe(text.includes('SLIPWAY_MCP_KEY') ? 'export SLIPWAY_MCP_KEY=svc_mcp_x' : undefined);
    }
  });

  const installOf = (client: string): string => snippetOf(client).install ?? '';
  const snippetOf = (client: string): McpSnippet => {
    const found = mcpSnippets(`${url}/readonly`, 'svc_mcp_x').find((snippet) => snippet.client === client);
    if (!found) throw new Error(`There is no ${client}.`);
    return found;
  };

  it('are installed in Cursor by a link that holds them', () => {
    const { protocol, searchParams } = new URL(installOf('Cursor'));
    const server: unknown = JSON.parse(atob(searchParams.get('config') ?? ''));
    expect([protocol, searchParams.get('name')]).toEqual(['cursor:', 'slipway']);
    expect(JSON.parse(snippetOf('Cursor').text)).toEqual({ mcpServers: { slipway: server } });
  });

  it('are installed in VS Code by a link that holds them', () => {
    const [scheme, query = ''] = installOf('VS Code').split('?');
    const { name, inputs, ...server } = JSON.parse(decodeURIComponent(query)) as Record<string, unknown>;
    expect([scheme, name]).toEqual(['vscode:mcp/install', 'slipway']);
    expect(JSON.parse(snippetOf('VS Code').text)).toEqual({ inputs, servers: { slipway: server } });
  });

  it('never put the key into a link', () => {
    for (const client of ['Cursor', 'VS Code']) expect(decodeURIComponent(installOf(client)), client).not.toContain('svc_mcp_x');
    expect(atob(new URL(installOf('Cursor')).searchParams.get('config') ?? '')).not.toContain('svc_mcp_x');
  });
});
