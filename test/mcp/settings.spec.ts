import type { ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpSnippets } from '../../apps/dashboard/src/snippets/mcp-snippets.js';
import { answerOf } from '../services/client-answer.js';
import { call, McpStage } from './stage/mcp-stage.js';

let stage: McpStage;
beforeAll(async () => {
  stage = await McpStage.start();
});
afterAll(() => stage?.end());

describe('the settings that the dashboard shows', () => {
  interface Settings {
    readonly url: string;
    readonly headers: Record<string, string>;
  }

  /** Where a file of settings leads, with the key in place of the variables that clients put it in. */
  function settingsIn(text: string, key: string): Settings | null {
    const found: Settings[] = [];
    JSON.parse(text.replace(/\$\{(?:env:)?SLIPWAY_MCP_KEY\}|\$\{input:slipway\}/g, key), (_name, value: unknown) => {
      const { url, serverUrl, headers } = (value ?? {}) as { url?: string; serverUrl?: string; headers?: Record<string, string> };
      const address = url ?? serverUrl;
      if (address !== undefined && headers) found.push({ url: address, headers });
      return value;
    });
    return found[0] ?? null;
  }

  it('connect a client that creates a working deployment', async () => {
    const tenant = await stage.tenant();
    const files = mcpSnippets(`${stage.url}/mcp`, tenant.mcp.value).filter(({ text }) => text.startsWith('{'));
    const settings = files.flatMap(({ text }) => settingsIn(text, tenant.mcp.value) ?? []);
    // All but the one that starts a program instead.
    expect(settings.length).toBe(files.length - 1);
    for (const [index, { url, headers }] of settings.entries()) {
      const agent = await stage.connect(url, headers);
      const slug = await stage.created(agent, { alias: `by-file-${index}` });
      if (index > 0) continue;
      await stage.whenState(agent, slug, 'ready');
      const [gateway = ''] = stage.rig.gateways;
      const asked = { gateway, path: `${tenant.slug}/by-file-${index}`, key: tenant.key.value };
      expect((await answerOf('it answers', asked, ({ status }) => status === 200)).body).toContain('first');
    }
  });
});

it('a client that can ask has its person decide', async () => {
  const tenant = await stage.tenant();
  const agent = await stage.client(tenant.mcp.value, 'modern');
  const [one, two] = [await stage.created(agent), await stage.created(agent)];
  await call(agent, 'set_alias', { alias: 'asked', slug: one });
  const asked: string[] = [];
  const answers: ElicitResult[] = [
    { action: 'decline' },
    { action: 'accept', content: { agree: false } },
    { action: 'accept', content: { agree: true } },
  ];
  const person = (question: string): ElicitResult => {
    asked.push(question);
    return answers.shift() ?? { action: 'cancel' };
  };
  const able = await stage.askingClient(tenant.mcp.value, person);
  const move = () => call(able, 'set_alias', { alias: 'asked', slug: two, replace: true });
  for (const _ of ['declined', 'not agreed']) {
    const { data } = await move();
    expect(data).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('said no') });
  }
  expect((await move()).data).toMatchObject({ slug: two, previous_slug: one });
  expect(new Set(asked)).toEqual(new Set([`Move the alias ${tenant.slug}/asked from ${one} to ${two}? Requests go there at once.`]));
  expect(asked).toHaveLength(3);
});
