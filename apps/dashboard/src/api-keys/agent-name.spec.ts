import { expect, it } from 'vitest';
import { agentName } from './agent-name.js';

it.each([
  ['claude-code/2.1.0 (cli)', 'Claude Code 2.1.0'],
  ['codex-mcp-client/0.63.0', 'Codex CLI 0.63.0'],
  ['Visual Studio Code/1.107.0', 'VS Code 1.107.0'],
  ['node', 'Node.js'],
  ['first-agent/1', 'first-agent 1'],
  ['something', 'something'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0.0.0 Safari/537.36', 'Chrome on Linux'],
])('%s is shown as %s', (client, name) => {
  expect(agentName(client)).toBe(name);
});
