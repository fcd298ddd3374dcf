import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { modelList, ScriptedUpstream } from '@slipway/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentOf, runCli } from '../../cli/cli-rig.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { axeFaults, ConsoleBrowser } from '../console-browser.js';
import { storeSecret } from '../screen.js';

let stack: Stack;
let engine: ScriptedUpstream;
let browser: ConsoleBrowser;
let ada: Page;
beforeAll(async () => {
  engine = await ScriptedUpstream.start(() => ({ steps: [] }));
  stack = await startStack([], { ENGINE_HOSTS: '127.0.0.1' });
  browser = await ConsoleBrowser.start(stack.console_url);
  ada = await browser.person({ acceptDownloads: true });
  await ada.goto(stack.setup_url ?? '');
  await ada.getByLabel('Email').fill('ada@example.com');
  await ada.getByLabel('Password').fill('correct horse battery');
  await ada.getByRole('button', { name: 'Set up and sign in' }).click();
  await ada.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
}, 240_000);
afterAll(async () => {
  await browser?.end();
  await stack?.stop();
  await engine?.stop();
});

const dialog = (): ReturnType<Page['getByRole']> => ada.getByRole('dialog');

async function statusOf(path: string, contract: 'chat/completions' | 'messages' = 'chat/completions'): Promise<number> {
  const response = await fetch(`${stack.base_url}/${path}/v1/${contract}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: path.split('/').at(-1), max_tokens: 8, messages: [{ role: 'user', content: 'Who are you?' }] }),
  });
  await response.body?.cancel();
  return response.status;
}

async function go(path: string, heading: string): Promise<void> {
  await ada.goto(path);
  await ada.getByRole('heading', { level: 1, name: heading }).waitFor();
}

describe.sequential('an engine named by its owner', () => {
  it('is tested before, and what is wrong is said with what to do', async () => {
    await go('/deployments/create', 'Create deployment');
    await ada.getByRole('radio', { name: 'Engine' }).check();
    await ada.getByRole('button', { name: 'Continue' }).click();
    const test = ada.getByRole('button', { name: 'Test the connection' });
    expect(await test.isDisabled()).toBe(true);
    const address = ada.getByLabel('Address of the engine');
    await address.fill('http://127.0.0.1:9');
    await test.click();
    await ada.getByText('The engine does not answer', { exact: false }).waitFor();
    await address.fill(engine.url);
    expect(await ada.getByText('The engine does not answer', { exact: false }).count()).toBe(0);
    await test.click();
    await ada.getByRole('radio', { name: 'scripted' }).check();
    await ada.getByText('answers and has the model', { exact: false }).waitFor();
    await ada.getByLabel('Model name at the engine').fill('wrong');
    await ada.getByText('does not list “wrong”', { exact: false }).waitFor();
    engine.gets.set('/v1/models', modelList('scripted', { owned_by: 'vllm', max_model_len: 4_096 }));
    await ada.getByRole('radio', { name: 'scripted' }).check();
    await test.click();
    await ada.getByText('vLLM answers and has the model, up to 4,096 tokens of context.').waitFor();
    expect(await axeFaults(ada)).toEqual([]);
    await address.fill('http://169.254.169.254');
    await test.click();
    await ada.getByRole('alert').filter({ hasText: 'ENGINE_HOSTS' }).waitFor();
  });
});

describe.sequential('an agent that is given the settings of the dashboard', () => {
  it('makes a deployment that answers, and the card of the key shows who it was', async () => {
    await go('/api-keys?tab=mcp', 'API Keys');
    await ada.getByRole('button', { name: 'Create MCP key' }).click();
    await dialog().getByRole('tab', { name: 'Zed' }).click();
    const pasted = (await dialog().getByRole('region', { name: 'settings.json' }).textContent()) ?? '';
    await storeSecret(ada);
    await ada.getByText('Last client').waitFor();
    const { context_servers: servers } = JSON.parse(pasted) as {
      context_servers: { slipway: { url: string; headers: Record<string, string> } };
    };
    const agent = new Client({ name: 'first-agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const { url, headers } = servers.slipway;
    await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const use = async (name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
      const { structuredContent, isError } = await agent.callTool({ name, arguments: args });
      expect(isError ?? false, JSON.stringify(structuredContent)).toBe(false);
      return structuredContent as Record<string, unknown>;
    };
    const [model] = (await use('list_models'))['models'] as { id: string }[];
    const { slug } = await use('create_deployment', { model: model?.id, alias: 'by-agent' });
    const stateOf = async (): Promise<unknown> => (await use('get_deployment', { slug }))['state'];
    await expect.poll(stateOf, { timeout: 60_000 }).toBe('ready');
    await expect.poll(() => statusOf('local/by-agent'), { timeout: 30_000 }).toBe(200);
    await agent.close();
    await ada.getByRole('definition').filter({ hasText: 'first-agent 1' }).waitFor({ timeout: 60_000 });
    await ada
      .getByRole('table', { name: 'Agent calls' })
      .getByRole('row', { name: /get_deployment .*OK/ })
      .first()
      .waitFor({ timeout: 60_000 });
    expect(await axeFaults(ada)).toEqual([]);
  });
});

describe.sequential('a table', () => {
  const LONG = `a${'-long-name'.repeat(6)}-x`;
  /** The highest row of a table. */
  const ROW_PX = 48;

  async function heightsOf(name: string): Promise<number[]> {
    const rows = await ada.getByRole('table', { name, exact: true }).getByRole('row').all();
    const boxes = await Promise.all(rows.map((row) => row.boundingBox()));
    return boxes.map((box) => box?.height ?? Infinity);
  }

  it('of deployments keeps its rows low and its models readable beside the longest alias', async () => {
    expect(LONG).toHaveLength(63);
    expect((await runCli(['aliases', 'point', LONG, 'deployment-1', '--data-dir', stack.dataDir])).code).toBe(0);
    await go('/deployments', 'Deployments');
    const table = ada.getByRole('table', { name: 'Deployments', exact: true });
    await table.getByText(LONG, { exact: false }).waitFor();
    expect(Math.max(...(await heightsOf('Deployments')))).toBeLessThanOrEqual(ROW_PX);
    const model = await table.getByRole('cell').getByTitle('svc-tiny.Q8_0.gguf').first().boundingBox();
    expect(model?.width).toBeGreaterThanOrEqual(80);
  });

  it('of revisions keeps its rows low beside a long address', async () => {
    const upstream = ['--upstream', `${engine.url}/${'p'.repeat(1_900)}`, '--upstream-model', 'scripted', '--name', 'far away'];
    const made = await runCli(['deployments', 'create', ...upstream, '--json', '--data-dir', stack.dataDir]);
    const { slug } = documentOf<{ slug: string }>(made);
    await go(`/deployments/${slug}?tab=revisions`, 'far away');
    await ada.getByRole('table', { name: 'Revisions' }).waitFor();
    expect(Math.max(...(await heightsOf('Revisions')))).toBeLessThanOrEqual(ROW_PX);
  });
});

describe.sequential('figures', () => {
  it('of the usage screen are those of the ledger, in every split, and are saved', async () => {
    for (const contract of ['chat/completions', 'messages'] as const) expect(await statusOf(stack.alias, contract)).toBe(200);
    await go('/local/usage?range=1h&by=key&parts-cols=name,requests,output', 'Usage');
    const table = ada.getByRole('table', { name: 'Usage by key' });
    const inLedger = async (): Promise<[string, string][]> => {
      const run = await runCli(['usage', '--by', 'key', '--from', '1h', '--json', '--data-dir', stack.dataDir]);
      const { rows } = documentOf<{ rows: { requests: number; completion_tokens: number }[] }>(run);
      return rows.map((row): [string, string] => [row.requests.toLocaleString('en-US'), row.completion_tokens.toLocaleString('en-US')]);
    };
    const shown = async (): Promise<(string | null)[][]> => {
      const rows = (await table.getByRole('row').all()).slice(1);
      return Promise.all(rows.map((row) => Promise.all([1, 2].map((cell) => row.getByRole('cell').nth(cell).textContent()))));
    };
    // By one key: one of the agent’s deployment, one by each contract, and those refused before the gateway knew the alias.
    await expect.poll(async () => Number((await inLedger())[0]?.[0]), { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    await expect.poll(shown, { timeout: 60_000 }).toEqual(await inLedger());
    for (const [search, figure] of [
      ['view=requests', 'Requests'],
      ['view=tokens', 'Tokens'],
      ['view=speed', 'Time to first token'],
      ['view=speed&measure=duration', 'Duration'],
      ['view=speed&measure=rate', 'Tokens per second'],
    ] as const) {
      for (const by of ['none', 'deployment', 'api']) {
        await go(`/local/usage?range=1h&by=${by}&${search}`, 'Usage');
        await ada.getByRole('button', { name: `Show as table: ${figure}` }).click();
        await ada.getByRole('table', { name: figure, exact: true }).waitFor();
      }
    }
    expect(await axeFaults(ada)).toEqual([]);

    await go('/local/usage?range=1h&by=api', 'Usage');
    await ada.getByRole('table', { name: 'Usage by contract' }).getByRole('button', { name: 'Messages', exact: true }).click();
    await ada.waitForURL(/api=messages/);
    await expect.poll(async () => (await ada.getByRole('table', { name: 'Usage by deployment' }).getByRole('row').all()).length).toBe(2);
    const download = ada.waitForEvent('download');
    await ada.getByRole('button', { name: 'Export' }).click();
    await ada.getByRole('menuitem', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^slipway-usage-.*-by-deployment\.csv$/);
  }, 120_000);

  it('of a deployment are on its own page', async () => {
    await go('/deployments/deployment-1?tab=metrics', 'svc-tiny.Q8_0');
    await ada.getByRole('button', { name: 'Show as table: Requests by outcome' }).click();
    await ada.getByRole('table', { name: 'Requests by outcome', exact: true }).waitFor();
    for (const title of ['Tokens', 'Tokens per second', 'Time to first token', 'Duration', 'In flight and queued, live']) {
      expect(await ada.getByRole('heading', { level: 2, name: title, exact: true }).count(), title).toBe(1);
    }
    expect(await axeFaults(ada)).toEqual([]);
  });

  it('of an account’s limits are in its settings', async () => {
    const run = await runCli(['accounts', 'limits', 'local', '--tokens-per-day', '1000000', '--data-dir', stack.dataDir]);
    expect(run.code, run.stderr).toBe(0);
    await go('/local/settings?tab=limits', 'Settings');
    await ada.getByText(/^[1-9]\d* of 1,000,000 used$/).waitFor();
    expect(await ada.getByRole('alert').count()).toBe(0);
    expect(await axeFaults(ada)).toEqual([]);
  });

  it('of a key are beside the key and on its page', async () => {
    const run = await runCli(['keys', 'limits', 'npm start', '--tokens-per-day', '2000000', '--data-dir', stack.dataDir]);
    expect(run.code, run.stderr).toBe(0);
    await go('/api-keys', 'API Keys');
    const row = ada.getByRole('row', { name: /npm start/ });
    await row.getByText(/^[1-9]\d* of 2M today$/).waitFor();
    await row.getByRole('link', { name: /^npm start/ }).click();
    await ada.getByRole('heading', { level: 1, name: 'npm start' }).waitFor();
    await ada
      .getByRole('list', { name: 'Requests by outcome' })
      .getByRole('listitem')
      .filter({ hasText: /^Completed3/ })
      .waitFor();
    await ada.getByRole('tab', { name: 'Limits and access' }).click();
    await ada.getByText(/^[1-9]\d* of 2,000,000 used$/).waitFor();
    expect(await axeFaults(ada)).toEqual([]);
  });

  it('of a budget that is used up are an alert on every screen', async () => {
    const setBudget = async (tokens: string): Promise<void> => {
      const run = await runCli(['accounts', 'limits', 'local', '--tokens-per-day', tokens, '--data-dir', stack.dataDir]);
      expect(run.code, run.stderr).toBe(0);
    };
    await setBudget('1');
    try {
      await go('/api-keys', 'API Keys');
      const alert = ada.getByRole('alert').filter({ hasText: 'budget of 1 token per day is used up' });
      await alert.waitFor();
      const [above, table] = await Promise.all([alert.boundingBox(), ada.getByRole('table').first().boundingBox()]);
      expect(above!.y).toBeLessThan(table!.y);
      await alert.getByRole('link', { name: 'Limits and budgets' }).click();
      await ada.getByText(/^[1-9]\d* of 1 used$/).waitFor();
      await alert.waitFor();
      expect(await axeFaults(ada)).toEqual([]);
    } finally {
      await setBudget('1000000');
    }
  });
});

it('no screen broke the content security policy or threw', () => {
  expect(browser.faults).toEqual([]);
});
