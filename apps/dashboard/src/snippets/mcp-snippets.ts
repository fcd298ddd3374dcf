/** Settings for one MCP client. */
export interface McpSnippet {
  readonly client: string;
  /** Where it runs. */
  readonly kind: 'terminal' | 'editor' | 'desktop';
  /** Where the text belongs. */
  readonly place: string;
  /** As code fences name it. */
  readonly language: 'bash' | 'json';
  readonly text: string;
  /** The line of a shell that has to be run first, where the text names a variable. */
  readonly variable?: string;
  /** Opens the client and installs the server there. It never holds the key. */
  readonly install?: string;
  /** What else has to be done, where the text alone is not enough. */
  readonly note?: string;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const PLACEHOLDER = 'YOUR_MCP_KEY';
/** Where clients that read a variable look for the key. */
const VARIABLE = 'SLIPWAY_MCP_KEY';
const NAME = 'slipway';

interface Facts {
  readonly url: string;
  readonly bearer: string;
  /** The line that puts the key into the variable. */
  readonly variable: string;
}

/**
 * Ready-to-paste settings of the clients that take a static key.
 * @param url address of the MCP server, that with all tools or the read-only one
 * @param key null where it is not known any more
 */
export function mcpSnippets(url: string, key: string | null): readonly McpSnippet[] {
  const shown = key ?? PLACEHOLDER;
  const facts = { url, bearer: `Bearer ${shown}`, variable: `export ${VARIABLE}=${shown}` };
  return [...inTerminals(facts), ...inEditors(facts)];
}

function inTerminals({ url, bearer, variable }: Facts): readonly McpSnippet[] {
  return [
    {
      client: 'Claude Code',
      kind: 'terminal',
      place: 'Run once',
      language: 'bash',
      text: `claude mcp add --transport http ${NAME} ${url} --header "Authorization: ${bearer}"`,
      note: 'For all of your projects add --scope user before --header, which must stay the last option.',
    },
    {
      client: 'Claude Code, shared',
      kind: 'terminal',
      place: '.mcp.json in the project',
      language: 'json',
      text: json({ mcpServers: { [NAME]: { type: 'http', url, headers: { Authorization: `Bearer \${${VARIABLE}}` } } } }),
      variable,
      note: 'The file holds no key, so it can be committed.',
    },
    {
      client: 'Codex CLI',
      kind: 'terminal',
      place: 'Run once',
      language: 'bash',
      text: `codex mcp add ${NAME} --url ${url} --bearer-token-env-var ${VARIABLE}`,
      variable,
    },
    {
      client: 'Gemini CLI',
      kind: 'terminal',
      place: 'Run once',
      language: 'bash',
      text: `gemini mcp add --scope user --transport http --header "Authorization: ${bearer}" ${NAME} ${url}`,
      note: 'Servers are off in folders that you have not marked as trusted.',
    },
  ];
}

function cursor({ url, variable }: Facts): McpSnippet {
  const server = { url, headers: { Authorization: `Bearer \${env:${VARIABLE}}` } };
  return {
    client: 'Cursor',
    kind: 'editor',
    place: '~/.cursor/mcp.json',
    language: 'json',
    text: json({ mcpServers: { [NAME]: server } }),
    variable,
    install: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(btoa(JSON.stringify(server)))}`,
  };
}

function vscode({ url }: Facts): McpSnippet {
  const inputs = [{ type: 'promptString', id: NAME, description: 'Slipway MCP key', password: true }];
  const server = { type: 'http', url, headers: { Authorization: `Bearer \${input:${NAME}}` } };
  return {
    client: 'VS Code',
    kind: 'editor',
    place: '.vscode/mcp.json',
    language: 'json',
    text: json({ inputs, servers: { [NAME]: server } }),
    install: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, ...server, inputs }))}`,
    note: 'VS Code asks for the key at the first start and keeps it.',
  };
}

function inEditors(facts: Facts): readonly McpSnippet[] {
  const { url, bearer } = facts;
  const withHeader = { url, headers: { Authorization: bearer } };
  const file = (client: string, place: string, settings: unknown): McpSnippet => ({
    client,
    kind: 'editor',
    place,
    language: 'json',
    text: json(settings),
  });
  return [
    cursor(facts),
    vscode(facts),
    file('Windsurf', '~/.codeium/windsurf/mcp_config.json', {
      mcpServers: { [NAME]: { serverUrl: url, headers: { Authorization: bearer } } },
    }),
    file('Zed', 'settings.json', { context_servers: { [NAME]: withHeader } }),
    file('Cline', 'cline_mcp_settings.json', { mcpServers: { [NAME]: { type: 'streamableHttp', ...withHeader } } }),
    {
      ...file('Claude Desktop', 'claude_desktop_config.json', {
        mcpServers: { [NAME]: { command: 'npx', args: bridge(url), env: { AUTH_HEADER: bearer } } },
      }),
      kind: 'desktop',
      note: 'Also for other clients without HTTP. Needs Node.js: mcp-remote passes on what the client says.',
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
