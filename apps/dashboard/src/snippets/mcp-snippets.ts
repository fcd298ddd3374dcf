/** Settings for one MCP client. */
export interface McpSnippet {
  readonly client: string;
  /** Where the text belongs. */
  readonly place: string;
  readonly text: string;
  /** What else has to be done, where the text alone is not enough. */
  readonly note?: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const PLACEHOLDER = 'YOUR_MCP_KEY';

interface Facts {
  readonly url: string;
  readonly bearer: string;
  /** How the variable that some settings name comes to hold the key. */
  readonly variable: string;
}

/** Ready-to-paste settings of the clients that take a static key. @param key null where it is not known any more */
export function mcpSnippets(url: string, key: string | null): readonly McpSnippet[] {
  const shown = key ?? PLACEHOLDER;
  const facts = { url, bearer: `Bearer ${shown}`, variable: `First: export SLIPWAY_MCP_KEY=${shown}` };
  return [...inTerminals(facts), ...inEditors(facts)];
}

function inTerminals({ url, bearer, variable }: Facts): readonly McpSnippet[] {
  return [
    {
      client: 'Claude Code',
      place: 'Run once',
      text: `claude mcp add --transport http slipway ${url} --header "Authorization: ${bearer}"`,
      note: 'For all of your projects add --scope user before --header, which must stay the last option.',
    },
    {
      client: 'Claude Code, shared',
      place: '.mcp.json in the project',
      text: json({ mcpServers: { slipway: { type: 'http', url, headers: { Authorization: 'Bearer ${SLIPWAY_MCP_KEY}' } } } }),
      note: `${variable}. The file holds no key, so it can be committed.`,
    },
    {
      client: 'Codex CLI',
      place: 'Run once',
      text: `codex mcp add slipway --url ${url} --bearer-token-env-var SLIPWAY_MCP_KEY`,
      note: variable,
    },
    {
      client: 'Gemini CLI',
      place: 'Run once',
      text: `gemini mcp add --scope user --transport http --header "Authorization: ${bearer}" slipway ${url}`,
      note: 'Servers are off in folders that you have not marked as trusted.',
    },
  ];
}

function inEditors({ url, bearer, variable }: Facts): readonly McpSnippet[] {
  const withHeader = { url, headers: { Authorization: bearer } };
  return [
    {
      client: 'Cursor',
      place: '~/.cursor/mcp.json',
      text: json({ mcpServers: { slipway: { url, headers: { Authorization: 'Bearer ${env:SLIPWAY_MCP_KEY}' } } } }),
      note: variable,
    },
    {
      client: 'VS Code',
      place: '.vscode/mcp.json',
      text: json({
        inputs: [{ type: 'promptString', id: 'slipway', description: 'Slipway MCP key', password: true }],
        servers: { slipway: { type: 'http', url, headers: { Authorization: 'Bearer ${input:slipway}' } } },
      }),
      note: 'VS Code asks for the key at the first start and keeps it.',
    },
    {
      client: 'Windsurf',
      place: '~/.codeium/windsurf/mcp_config.json',
      text: json({ mcpServers: { slipway: { serverUrl: url, headers: { Authorization: bearer } } } }),
    },
    { client: 'Zed', place: 'settings.json', text: json({ context_servers: { slipway: withHeader } }) },
    {
      client: 'Cline',
      place: 'cline_mcp_settings.json',
      text: json({ mcpServers: { slipway: { type: 'streamableHttp', ...withHeader } } }),
    },
    {
      client: 'Claude Desktop and others without HTTP',
      place: 'claude_desktop_config.json',
      text: json({ mcpServers: { slipway: { command: 'npx', args: bridge(url), env: { AUTH_HEADER: bearer } } } }),
      note: 'Needs Node.js: mcp-remote passes on what the client says.',
    },
  ];
}

/** Plain HTTP to another machine has to be allowed by name. */
function bridge(url: string): readonly string[] {
  const { protocol, hostname } = new URL(url);
  const isOpen = protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return [
    '-y',
    'mcp-remote',
    url,
    '--transport',
    'http-only',
    '--header',
    'Authorization:${AUTH_HEADER}',
    ...(isOpen ? ['--allow-http'] : []),
  ];
}
