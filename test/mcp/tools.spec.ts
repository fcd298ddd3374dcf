import type { Client } from '@modelcontextprotocol/client';
import { CreateKey, deploymentSlug, DeploymentId, FindMcpKey, ListAudit, ListDeploymentAudit, ListKeys } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { answerOf } from '../services/client-answer.js';
import { call, CLIENT, codeOf, ERAS, McpStage, type McpTenant } from './stage/mcp-stage.js';
import { CREATES, DESTROYS, OTHERS, READS } from './stage/tool-names.js';

let stage: McpStage;
beforeAll(async () => {
  stage = await McpStage.start();
});
afterAll(() => stage?.end());

const idOf = (slug: unknown): DeploymentId => DeploymentId.parse(Number(String(slug).slice('deployment-'.length)));

const created = (client: Client, args: Record<string, unknown> = {}): Promise<string> => stage.created(client, args);
const whenState = (client: Client, slug: string, state: string): Promise<unknown> => stage.whenState(client, slug, state);

describe.each(ERAS)('an agent of the %s era', (era) => {
  let tenant: McpTenant;
  let agent: Client;
  beforeAll(async () => {
    tenant = await stage.tenant();
    agent = await stage.client(tenant.mcp.value, era);
  });

  it('finds hints, title and schemas of every tool', async () => {
    const { tools, nextCursor } = await agent.listTools();
    expect(nextCursor).toBeUndefined();
    expect(tools.map(({ name }) => name).sort()).toEqual([...READS, ...DESTROYS, ...OTHERS].sort());
    for (const { name, title, annotations, inputSchema, outputSchema, description } of tools) {
      expect([name, annotations], name).toEqual([
        name,
        {
          title,
          readOnlyHint: READS.includes(name),
          destructiveHint: DESTROYS.includes(name),
          idempotentHint: !CREATES.includes(name),
          openWorldHint: false,
        },
      ]);
      expect([inputSchema.type, outputSchema?.['type'], typeof description], name).toEqual(['object', 'object', 'string']);
      const required = (inputSchema.required ?? []).filter((argument) => argument.startsWith('confirm_'));
      expect(required.length, name).toBe(DESTROYS.includes(name) && name !== 'set_alias' ? 1 : 0);
    }
  });

  it('creates a deployment that serves requests', async () => {
    const slug = await created(agent, { alias: 'fresh' });
    await whenState(agent, slug, 'ready');
    const shown = await call(agent, 'get_deployment', { slug: `${tenant.slug}/fresh` });
    expect(shown.data).toMatchObject({ slug, aliases: [`${tenant.slug}/fresh`], state: 'ready', revision: 1 });
    expect(JSON.parse(shown.text)).toEqual(shown.data);
    const [gateway = ''] = stage.rig.gateways;
    expect(shown.data['url']).toBe(`${gateway}/${slug}`);
    const answer = await answerOf(
      'it answers',
      { gateway, path: `${tenant.slug}/fresh`, key: tenant.key.value },
      ({ status }) => status === 200,
    );
    expect(answer.body).toContain('first');
  });

  it('is named in the audit log', async () => {
    const slug = await created(agent);
    const { entries } = await stage.rig.command(ListDeploymentAudit, { account: tenant.account });
    const entry = entries.find(({ object }) => object === `deployment:${idOf(slug)}`);
    expect(entry).toMatchObject({
      action: 'deployment.create',
      actor: 'key',
      actor_id: tenant.mcp.id,
      address: expect.any(String) as string,
    });
    // The older revision has no name with each request: there it is the User-Agent.
    if (era === 'modern') expect(entry?.client).toBe(`${CLIENT.name}/${CLIENT.version}`);
    else expect(entry?.client).toBe('node');
    const { id } = await stage.rig.command(CreateKey, { account: tenant.account, name: 'short' });
    await call(agent, 'revoke_deployment_key', { key_id: id, confirm_name: 'short' });
    const audit = await stage.rig.command(ListAudit, { account: tenant.account, actor: { kind: 'ops' } });
    expect(audit.entries[0]).toMatchObject({ action: 'key.revoke', actor: 'key', actor_id: tenant.mcp.id });
  });

  it('is shown as the last client of its key', async () => {
    const { account, mcp } = await stage.tenant();
    const find = () => stage.rig.command(FindMcpKey, { account });
    expect(await find()).toMatchObject({ key: { last_used_at: null }, last_client: null });
    const client = await stage.client(mcp.value, era);
    const name = era === 'modern' ? `${CLIENT.name}/${CLIENT.version}` : 'node';
    const found = await until('its name is known', async () => {
      // A word that was lost is made up for by the next request.
      await call(client, 'get_account');
      const result = await find();
      return result.last_client === name && result;
    });
    expect(Date.now() - Date.parse(found.key?.last_used_at ?? '')).toBeLessThan(60_000);
  });

  it('learns which argument is wrong', async () => {
    const cases: [string, Record<string, unknown>, string][] = [
      ['list_deployments', { state: 'asleep' }, 'state'],
      ['list_deployments', { limit: 101 }, 'limit'],
      ['list_deployments', { cursor: 'nonsense' }, 'cursor'],
      ['get_usage', { from: 'yesterday' }, 'from'],
      ['create_deployment', { model: 'https://user:hidden-word@example.com/m.gguf' }, 'model'],
      ['update_deployment', { slug: 'deployment-1', engine_url: 'http://127.0.0.1:1' }, 'model'],
    ];
    for (const [tool, args, argument] of cases) {
      const answer = await call(agent, tool, args);
      expect([tool, answer.data['code'], answer.data['argument']]).toEqual([tool, 'invalid_request', argument]);
      expect(answer.text).not.toContain('hidden-word');
    }
    expect(codeOf(await call(agent, 'create_deployment', { model: '/etc/passwd' }))).toBe('source_not_allowed');
  });

  it('reads deployments as resources, too', async () => {
    const slug = await created(agent);
    const { resources } = await agent.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`slipway://deployments/${slug}`);
    const { contents } = await agent.readResource({ uri: `slipway://deployments/${slug}` });
    expect(contents[0]).toMatchObject({ mimeType: 'application/json', text: expect.stringContaining(slug) as string });
    await expect(agent.readResource({ uri: 'slipway://deployments/deployment-999999' })).rejects.toThrow(/not found/i);
  });

  it('gets a prompt and completes slugs', async () => {
    const slug = await created(agent);
    const { prompts } = await agent.listPrompts();
    expect(prompts).toMatchObject([
      { name: 'diagnose_deployment', arguments: [{ name: 'slug', required: true }] },
      { name: 'tune_a_model', arguments: [{ name: 'dataset' }, { name: 'goal' }] },
    ]);
    const { messages } = await agent.getPrompt({ name: 'diagnose_deployment', arguments: { slug } });
    expect(JSON.stringify(messages)).toContain(slug);
    const { completion } = await agent.complete({
      ref: { type: 'ref/prompt', name: 'diagnose_deployment' },
      argument: { name: 'slug', value: 'deployment-' },
    });
    expect(completion.values).toContain(slug);
  });

  it('gets only reading tools at /mcp/readonly', async () => {
    const reader = await stage.client(tenant.mcp.value, era, '/mcp/readonly');
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...READS].sort());
    const slug = await created(agent);
    await expect(reader.callTool({ name: 'stop_deployment', arguments: { slug, confirm_slug: slug } })).rejects.toThrow(/not found/);
    expect((await call(reader, 'get_deployment', { slug })).data['slug']).toBe(slug);
  });
});

// What tools do, whatever the revision of the protocol.
describe('an agent', () => {
  let tenant: McpTenant;
  let agent: Client;
  beforeAll(async () => {
    tenant = await stage.tenant();
    agent = await stage.client(tenant.mcp.value, 'modern');
  });

  it('reads what a request used', async () => {
    const slug = await created(agent);
    await whenState(agent, slug, 'ready');
    const [gateway = ''] = stage.rig.gateways;
    await answerOf('it answers', { gateway, path: slug, key: tenant.key.value }, ({ status }) => status === 200);
    const usage = { name: 'get_usage', arguments: { group_by: ['deployment'], slug } };
    const result = await stage.whenResult(agent, usage, ({ data }) => (data['buckets'] as unknown[]).length > 0);
    const ms = expect.any(Number) as number;
    expect(result.data['buckets']).toMatchObject([{ deployment: slug, requests: 1, errors: 0, ttft_p50_ms: ms, duration_p95_ms: ms }]);
  });

  it('creates one deployment for repeated requests', async () => {
    const again = { idempotency_key: 'release-1', alias: 'once' };
    const slugs = await Promise.all([created(agent, again), created(agent, again), created(agent, again)]);
    expect(new Set(slugs).size).toBe(1);
    const { data } = await call(agent, 'list_deployments', { query: 'once' });
    expect((data['deployments'] as unknown[]).length).toBe(1);
  });

  it('stops, resumes and deletes only what it confirmed', async () => {
    const slug = await created(agent);
    await whenState(agent, slug, 'ready');
    for (const confirm of ['', 'deployment-1000000', slug.toUpperCase()]) {
      const refused = await call(agent, 'stop_deployment', { slug, confirm_slug: confirm });
      expect([codeOf(refused), refused.data['argument']]).toEqual(['invalid_request', 'confirm_slug']);
      expect(refused.text).toContain(`confirm_slug must be exactly "${slug}"`);
    }
    expect(codeOf(await call(agent, 'stop_deployment', { slug }))).toBe('invalid_request');
    expect((await call(agent, 'get_deployment', { slug })).data).toMatchObject({ state: 'ready', desired: 'ready' });

    const early = await call(agent, 'delete_deployment', { slug, confirm_slug: slug });
    expect(early.data).toMatchObject({ code: 'deployment_not_stopped', retryable: false, next_tool: 'stop_deployment' });
    expect((await call(agent, 'stop_deployment', { slug, confirm_slug: slug })).data).toMatchObject({ slug, state: 'stopping' });
    await whenState(agent, slug, 'stopped');
    expect((await call(agent, 'resume_deployment', { slug })).data).toMatchObject({ slug, state: 'pending' });
    await whenState(agent, slug, 'ready');
    await call(agent, 'stop_deployment', { slug, confirm_slug: slug });
    await whenState(agent, slug, 'stopped');
    expect((await call(agent, 'delete_deployment', { slug, confirm_slug: slug })).data).toMatchObject({ slug, deleted: true });
    expect((await call(agent, 'get_deployment', { slug })).data).toMatchObject({
      code: 'deployment_not_found',
      next_tool: 'list_deployments',
    });
  });

  it('changes a deployment only at the expected revision', async () => {
    const slug = await created(agent);
    const first = await call(agent, 'update_deployment', { slug, slots: 3, name: 'renamed', expected_revision: 1 });
    expect(first.data).toMatchObject({ slug, revision: 2 });
    const late = await call(agent, 'update_deployment', { slug, slots: 4, expected_revision: 1 });
    expect(late.data).toMatchObject({ code: 'invalid_request', argument: 'expected_revision' });
    expect((await call(agent, 'get_deployment', { slug })).data).toMatchObject({ slots: 3, name: 'renamed', revision: 2 });
  });

  it('lets a deployment store responses without a new revision', async () => {
    const slug = await created(agent);
    expect((await call(agent, 'get_deployment', { slug })).data).toMatchObject({ store_responses: false });
    await call(agent, 'update_deployment', { slug, store_responses: true });
    expect((await call(agent, 'get_deployment', { slug })).data).toMatchObject({ store_responses: true, revision: 1 });
  });

  it('moves and deletes an alias only when confirmed', async () => {
    const [one, two] = await Promise.all([created(agent), created(agent)]);
    expect((await call(agent, 'set_alias', { alias: 'moved', slug: one })).data).toEqual({ alias: `${tenant.slug}/moved`, slug: one });
    const refused = await call(agent, 'set_alias', { alias: `${tenant.slug}/moved`, slug: two });
    expect([codeOf(refused), refused.text]).toEqual(['alias_taken', expect.stringContaining(one)]);
    const moved = await call(agent, 'set_alias', { alias: 'moved', slug: two, replace: true });
    expect(moved.data).toMatchObject({ slug: two, previous_slug: one });
    expect(codeOf(await call(agent, 'delete_alias', { alias: 'moved', confirm_alias: 'other' }))).toBe('invalid_request');
    expect((await call(agent, 'delete_alias', { alias: 'moved', confirm_alias: 'moved' })).data['removed']).toBe(true);
  });

  it('revokes a key and never reads values', async () => {
    const { id, value } = await stage.rig.command(CreateKey, { account: tenant.account, name: 'nightly job' });
    const listed = await call(agent, 'list_deployment_keys');
    expect(listed.text).not.toContain(value);
    expect(listed.text).not.toContain(tenant.key.value);
    expect(listed.data['keys']).toMatchObject([{ id, name: 'nightly job', state: 'active' }, { id: tenant.key.id }]);
    expect(codeOf(await call(agent, 'revoke_deployment_key', { key_id: id, confirm_name: 'job' }))).toBe('invalid_request');
    const revoked = await call(agent, 'revoke_deployment_key', { key_id: id, confirm_name: 'nightly job' });
    expect(revoked.data).toMatchObject({ id, state: 'revoked' });
    const { keys } = await stage.rig.command(ListKeys, { account: tenant.account });
    expect(keys.find((key) => key.id === id)?.state).toBe('revoked');
    const unknown = await call(agent, 'revoke_deployment_key', { key_id: tenant.mcp.id, confirm_name: 'MCP' });
    expect(unknown.data).toMatchObject({ code: 'key_not_found', next_tool: 'list_deployment_keys' });
  });

  it('sees nothing of another account', async () => {
    const stranger = await stage.tenant();
    const id = await stage.rig.deployment(stranger.account);
    await stage.rig.alias(stranger.account, 'theirs', id);
    const slug = deploymentSlug(id);
    for (const ref of [slug, `${stranger.slug}/theirs`, 'theirs']) {
      expect(codeOf(await call(agent, 'get_deployment', { slug: ref })), ref).toBe('deployment_not_found');
    }
    expect(codeOf(await call(agent, 'stop_deployment', { slug, confirm_slug: slug }))).toBe('deployment_not_found');
    expect(codeOf(await call(agent, 'set_alias', { alias: 'stolen', slug }))).toBe('deployment_not_found');
    expect(codeOf(await call(agent, 'get_deployment_logs', { slug }))).toBe('deployment_not_found');
    const revoked = await call(agent, 'revoke_deployment_key', { key_id: stranger.key.id, confirm_name: 'a key' });
    expect(codeOf(revoked)).toBe('key_not_found');
    const { data } = await call(agent, 'list_deployments');
    expect((data['deployments'] as { slug: string }[]).map((listed) => listed.slug)).not.toContain(slug);
  });

  it('pages through long lists', async () => {
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const { data } = await call(agent, 'list_deployments', { limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...(data['deployments'] as { slug: string }[]).map(({ slug }) => slug));
      cursor = data['next_cursor'];
    } while (cursor !== undefined);
    const { data } = await call(agent, 'list_deployments', { limit: 100 });
    expect(seen).toEqual((data['deployments'] as { slug: string }[]).map(({ slug }) => slug));
    expect(seen.length).toBeGreaterThan(3);
  });
});
