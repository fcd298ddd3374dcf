import { clientName } from '../people/client-name.js';

/** Agents by what they call themselves, as their makers write them. */
const AGENTS: readonly (readonly [RegExp, string])[] = [
  [/^claude-code/i, 'Claude Code'],
  [/^claude-ai/i, 'Claude'],
  [/^codex/i, 'Codex CLI'],
  [/^gemini-cli/i, 'Gemini CLI'],
  [/^cursor/i, 'Cursor'],
  [/^visual studio code/i, 'VS Code'],
  [/^windsurf/i, 'Windsurf'],
  [/^zed/i, 'Zed'],
  [/^cline/i, 'Cline'],
  [/^node(?:$|\/)/i, 'Node.js'],
  [/^python-httpx/i, 'Python (httpx)'],
];

/** `name/1.2.3`, or a name followed by other products as in a User-Agent. */
const VERSION = /\/(\d[\w.-]{0,19})/;

/** A client of the MCP server in words: "Claude Code 2.1.0". Names that are not known stay as they are. */
export function agentName(client: string): string {
  if (client.startsWith('Mozilla/')) return clientName(client);
  const known = AGENTS.find(([form]) => form.test(client))?.[1];
  const version = VERSION.exec(client)?.[1];
  const name = known ?? client.split('/')[0] ?? client;
  return [name.slice(0, 60), version].filter(Boolean).join(' ');
}
