import { FindMcpKey, formatKey, ListMcpCalls } from '@slipway/contracts';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { call, McpStage, type McpTenant } from './stage/mcp-stage.js';

let stage: McpStage;
let tenant: McpTenant;
beforeAll(async () => {
  stage = await McpStage.start();
  tenant = await stage.tenant();
});
afterAll(() => stage?.end());

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const good = (): Record<string, string> => bearer(tenant.mcp.value);

interface Refusal {
  readonly error: { readonly message: string; readonly data: { readonly code: string } };
}

async function refusalOf(response: Response): Promise<[number, string, string]> {
  const { error } = (await response.json()) as Refusal;
  return [response.status, error.data.code, error.message];
}

/** All that could tell two refusals apart. */
async function printOf(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return JSON.stringify([response.status, headers, await response.text()]);
}

const modern = (method: string, params: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  });

describe('the key', () => {
  it('is requested without a hint to OAuth', async () => {
    for (const path of ['/mcp', '/mcp/readonly', '/mcp?x=1']) {
      for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
        const response = await stage.ask({}, { path, method });
        expect([path, method, response.status]).toEqual([path, method, 401]);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="slipway"');
        expect(response.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
  });

  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
    '/mcp/.well-known/openid-configuration',
    '/mcp/.well-known/oauth-protected-resource',
  ])('has no metadata at %s', async (path) => {
    for (const headers of [{}, { accept: 'text/html' }, good()]) {
      expect((await stage.ask(headers, { path, method: 'GET' })).status).toBe(404);
    }
  });

  it('of another kind is refused with advice', async () => {
    expect(await refusalOf(await stage.ask(bearer(tenant.key.value)))).toEqual([
      403,
      'insufficient_scope',
      expect.stringContaining('MCP key'),
    ]);
    expect(await refusalOf(await stage.ask(bearer('a.b.c')))).toEqual([401, 'invalid_api_key', expect.stringContaining('session')]);
    expect(await refusalOf(await stage.ask({ 'x-api-key': tenant.mcp.value }))).toEqual([
      401,
      'missing_api_key',
      expect.stringContaining('Authorization: Bearer'),
    ]);
  });

  it('opens neither gateway nor private API', async () => {
    const [gateway = ''] = stage.rig.gateways;
    const inference = await fetch(`${gateway}/deployment-1/v1/chat/completions`, { method: 'POST', headers: good(), body: '{}' });
    expect(inference.status).toBe(403);
    expect((await stage.ask(good(), { path: '/api/me', method: 'GET' })).status).toBe(403);
  });

  it('is refused alike, unknown or misspelt', async () => {
    const unknown = bearer(formatKey('mcp', randomBytes(32)));
    const misspelt = bearer(`${tenant.mcp.value.slice(0, -1)}${tenant.mcp.value.endsWith('0') ? '1' : '0'}`);
    const rotated = await stage.tenant();
    await stage.rotate(rotated.account);
    const prints = await Promise.all(
      [unknown, misspelt, bearer(rotated.mcp.value), bearer('nonsense')].map(async (headers) => printOf(await stage.ask(headers))),
    );
    expect(new Set(prints).size).toBe(1);
  });

  it('is refused at once after rotation', async () => {
    const { account, slug, mcp } = await stage.tenant();
    const old = await stage.client(mcp.value, 'modern');
    expect((await call(old, 'get_account')).data).toMatchObject({ account_slug: slug, environment: 'test' });
    const { value } = await stage.rotate(account);
    await expect(old.callTool({ name: 'get_account', arguments: {} })).rejects.toThrow(/This MCP key is not valid/);
    expect((await stage.ask(bearer(mcp.value))).status).toBe(401);
    const next = await stage.client(value, 'modern');
    expect((await call(next, 'get_account')).data).toMatchObject({ account_slug: slug });
  });

  it('ends its subscriptions when rotated', async () => {
    const { account, mcp } = await stage.tenant();
    const body = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const headers = { ...bearer(mcp.value), 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const response = await stage.ask(headers, { body });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    let isOver = false;
    const reading = response.text().then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await stage.rotate(account);
    await until('the subscription is over', () => isOver);
    await reading;
  });

  it('appears in no log', () => {
    expect(stage.console.output).toContain('"mcp_tool":"get_account"');
    for (const { output } of [stage.console, stage.rig.process('keys-service')]) {
      expect(output.match(/svc_(?:dep|mcp)_[0-9A-Za-z]{49}/g) ?? []).toEqual([]);
    }
  });
});

describe('a web page', () => {
  it('of another site is refused', async () => {
    for (const origin of ['https://evil.example.com', 'null', stage.url.replace('http:', 'https:'), 'http://127.0.0.1:1']) {
      expect((await refusalOf(await stage.ask({ ...good(), origin })))[0]).toBe(403);
    }
    const { status } = await stage.ask({ ...good(), origin: stage.url });
    expect(status).toBe(200);
  });
});

describe('the calls of a key', () => {
  it('are recorded without their arguments', async () => {
    const { account, mcp } = await stage.tenant();
    const client = await stage.client(mcp.value, 'modern');
    await call(client, 'list_deployments', { query: 'a secret word' });
    await call(client, 'get_deployment', { slug: 'deployment-999999' });
    const reader = await stage.client(mcp.value, 'legacy', '/mcp/readonly');
    await call(reader, 'get_account');
    const calls = await until('all calls are recorded', async () => {
      const found = (await stage.rig.command(ListMcpCalls, { account })).calls;
      return found.length === 3 ? found : null;
    });
    const agent = 'agent-under-test/1.2.3';
    expect(calls.map(({ tool, access, outcome, client: by }) => [tool, access, outcome, by])).toEqual([
      ['get_account', 'read', 'ok', expect.any(String)],
      ['get_deployment', 'read', 'deployment_not_found', agent],
      ['list_deployments', 'read', 'ok', agent],
    ]);
    expect(JSON.stringify(calls)).not.toContain('secret');
  });
});

describe('the use of a key', () => {
  const lastClientOf = async ({ account }: McpTenant): Promise<string | null | undefined> =>
    (await stage.rig.command(FindMcpKey, { account })).last_client;

  it('is not counted for the console’s page', async () => {
    const [used, other] = [await stage.tenant(), await stage.tenant()];
    const use = async ({ mcp }: McpTenant, headers: Record<string, string>): Promise<number> =>
      (await stage.ask({ ...bearer(mcp.value), ...headers })).status;
    expect(await use(used, { 'user-agent': 'a-program/1' })).toBe(200);
    await until('the program is noted', async () => (await lastClientOf(used)) === 'a-program/1');
    expect(await use(used, { 'user-agent': 'a-browser/1', origin: stage.url })).toBe(200);
    // What is noted later, and on the same way, is there: so would the page be.
    expect(await use(other, { 'user-agent': 'a-program/2' })).toBe(200);
    await until('the other program is noted', async () => (await lastClientOf(other)) === 'a-program/2');
    expect(await lastClientOf(used)).toBe('a-program/1');
  });
});

describe('the protocol', () => {
  it('serves both eras statelessly by POST', async () => {
    const legacy = await stage.ask(good());
    expect([legacy.status, legacy.headers.get('mcp-session-id')]).toEqual([200, null]);
    const headers = { ...good(), 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const response = await stage.ask(headers, { body: modern('tools/list') });
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'application/json',
      'no-store',
    ]);
    for (const method of ['GET', 'DELETE']) {
      const other = await stage.ask(good(), { method });
      expect([method, other.status, other.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('accepts at most 256 KiB and says so', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { filler: 'x'.repeat(256 * 1024) } });
    expect((await stage.ask(good(), { body })).status).toBe(413);
    const large = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { filler: 'x'.repeat(200 * 1024) } });
    expect((await stage.ask(good(), { body: large })).status).toBe(200);
  });

  it('survives invalid messages', async () => {
    for (const body of ['', '{', '[]', '"x"', '{"jsonrpc":"1.0"}', '\u0000', '{"jsonrpc":"2.0","id":1,"method":"no/such"}']) {
      const { status } = await stage.ask(good(), { body });
      expect([body, status >= 200 && status < 500]).toEqual([body, true]);
    }
    expect((await stage.ask(good())).status).toBe(200);
  });

  it('reports that keys-service is unavailable', async () => {
    const keys = stage.rig.process('keys-service');
    await keys.stop();
    const response = await stage.ask(good());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    await stage.rig.spawn('keys-service').ready();
    await until('the key opens again', async () => (await stage.ask(good())).status === 200);
  });
});
