import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();

const FACTS = { desired: 'running', reason: null, detail: null, progress: null, rev: 1, serving_rev: 1, replicas: 1, ready_replicas: 1 };
const SOURCE = { kind: 'file', model: 'tiny' };
const CAPS = ['seed', 'json_object', 'json_schema', 'tools', 'tool_choice', 'reasoning'];
const DEPLOYMENTS = [
  { id: 1, name: 'Demo', aliases: ['assistant'], source: SOURCE, state: 'ready', ...FACTS },
  { id: 2, name: 'Other', aliases: [], source: SOURCE, state: 'stopped', ...FACTS, desired: 'stopped' },
];

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 2 } })}\n\n`;

/** What the gateway answers to a message. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'Say it in bold': (response) => response.end(`${chunk({ content: '**Hello** there' })}${chunk({}, 'stop')}${USAGE}data: [DONE]\n\n`),
  'Break off': (response) =>
    response.end(`${chunk({ content: 'Half an ' })}data: ${JSON.stringify({ error: { message: 'The worker was lost.' } })}\n\n`),
  'Never end': (response) => response.write(chunk({ content: 'Once upon a time' })),
};

let gateway: Server;
beforeAll(async () => {
  gateway = createServer((request, response) => {
    void text(request).then((body) => {
      const asked = (JSON.parse(body) as { messages: { content: string }[] }).messages.at(-1)?.content ?? '';
      const answer = ANSWERS[asked];
      response.setHeader('request-id', 'req_0123456789abcdef');
      if (answer) return answer(response.setHeader('content-type', 'text/event-stream'));
      response.statusCode = 409;
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ error: { code: 'deployment_stopped', message: 'The deployment is stopped.' } }));
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  gateway.closeAllConnections();
  gateway.close();
});

beforeEach(async () => {
  const { page } = stage;
  const { port } = gateway.address() as AddressInfo;
  await page.route('**/api/deployments/list', (route) => route.fulfill({ json: { deployments: DEPLOYMENTS, next: null } }));
  await page.route('**/api/deployments/find', (route) => route.fulfill({ json: { deployment: { ...DEPLOYMENTS[0], caps: CAPS } } }));
  await page.route('**/api/playground/**', (route) => route.continue({ url: `http://127.0.0.1:${port}/` }));
  await stage.signIn();
  await stage.navigation.getByRole('link', { name: 'Playground' }).click();
  await page.getByLabel('Message').waitFor();
});

const send = async (message: string): Promise<void> => {
  await stage.page.getByLabel('Message').fill(message);
  await stage.page.keyboard.press('Enter');
};
const answer = (): ReturnType<typeof stage.page.getByRole> => stage.page.getByRole('article').last();
/** Waits until screen readers are told. */
const said = (words: string | RegExp): Promise<void> =>
  stage.page.getByRole('status').getByText(words, { exact: true }).waitFor({ state: 'attached' });

it('an empty playground fits into its window', async () => {
  const { page } = stage;
  for (const [width, height] of [
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.reload();
    await page.getByLabel('Message').waitFor();
    const state = (): Promise<unknown> => page.evaluate('[scrollY, document.documentElement.scrollHeight - innerHeight]');
    await expect.poll(state, { message: `${width} × ${height}` }).toEqual([0, 0]);
  }
});

it('screen readers announce each ending in its own words', async () => {
  const { page } = stage;
  await send('Say it in bold');
  await said('Answer complete');
  await send('Break off');
  await said('Answer cut off. The worker was lost.');
  await answer().getByText('The worker was lost.').waitFor();
  await send('Refuse this');
  await said('Request refused. The deployment is stopped.');
  await send('Never end');
  await answer().getByText('Once upon a time').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await said('Stopped');
  expect(await page.getByRole('status').getByText('Answer complete').count()).toBe(0);
});

it('answers are drawn as Markdown or plain, with figures and code', async () => {
  const { page } = stage;
  await send('Say it in bold');
  await answer().locator('strong', { hasText: 'Hello' }).waitFor();
  const link = answer().getByRole('link', { name: 'req_0123456789abcdef' });
  expect(await link.getAttribute('href')).toBe(`/${stage.home}/requests/req_0123456789abcdef`);
  expect(await answer().getByLabel('Figures of this answer').textContent()).toMatch(/TTFT.*Tokens in11.*Tokens out2.*Finish reasonstop/);
  await page.getByRole('button', { name: 'Plain text' }).click();
  await answer().getByText('**Hello** there').waitFor();
  await answer().getByRole('button', { name: 'View code' }).click();
  const code = page.getByRole('dialog').getByRole('region', { name: 'Request' });
  expect(await code.textContent()).toContain(`/${stage.home}/assistant/v1/chat/completions`);
});

it('leaving and reloading keep the conversation; a new one can be undone', async () => {
  const { page } = stage;
  await page.getByRole('textbox', { name: 'Temperature' }).fill('0.3');
  await page.getByRole('textbox', { name: 'Temperature' }).blur();
  await send('Never end');
  await answer().getByText('Once upon a time').waitFor();
  await page.getByLabel('Message').fill('A draft');
  await stage.navigation.getByRole('link', { name: 'Home' }).click();
  // Until then the screen is still drawn, and going back would have left nothing.
  await page.getByLabel('Message').waitFor({ state: 'detached' });
  await page.goBack();
  await answer().getByText('Stopped', { exact: true }).waitFor();
  await page.reload();
  await answer().getByText('Once upon a time').waitFor();
  expect(await page.getByLabel('Message').inputValue()).toBe('A draft');
  expect(await page.getByRole('textbox', { name: 'Temperature' }).inputValue()).toBe('0.3');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('Send a message to assistant').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await answer().getByText('Once upon a time').waitFor();
});

it('tools and schemas are checked while they are typed', async () => {
  const { page } = stage;
  const tools = page.getByRole('textbox', { name: 'Tools' });
  await tools.fill('[{"name":');
  await page.getByText('Not valid JSON').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Clear Tools' }).click();
  await page.getByRole('button', { name: 'Insert example into Tools' }).click();
  await page.getByText('1 valid: get_weather').waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
});

it('a deployment is found by its slug', async () => {
  const { page } = stage;
  const picker = page.getByRole('combobox', { name: 'Deployment' });
  expect(await picker.inputValue()).toBe('assistant');
  await picker.fill('deployment-2');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Open deployment' }).waitFor();
  expect(new URL(page.url()).search).toContain('deployment-2');
});
