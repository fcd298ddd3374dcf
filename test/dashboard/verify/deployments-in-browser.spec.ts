import { beforeEach, describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { answerDeployments, AT, logLine, LONG_ALIAS, LONG_NAME, refusal } from '../deployments-stage.js';
import { dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();
/** The highest row of a table, in pixels. */
const ROW_MAX = 48;

let asked: ReadonlyMap<string, object[]>;
beforeEach(async () => {
  asked = await answerDeployments(stage.page);
  await stage.signIn();
});

async function go(path: string, heading: string): Promise<void> {
  await stage.page.goto(`/${stage.home}/${path}`);
  await stage.page.getByRole('heading', { level: 1, name: heading }).waitFor();
}
const step = (): string | null => new URL(stage.page.url()).searchParams.get('step');
const next = (): Promise<void> => stage.page.getByRole('button', { name: 'Continue' }).click();

describe('the list of deployments', () => {
  it('keeps its rows low beside the longest names', async () => {
    const { page } = stage;
    await go('deployments', 'Deployments');
    const rows = page.getByRole('table', { name: 'Deployments' }).getByRole('row');
    await rows.filter({ hasText: LONG_NAME }).getByText(LONG_ALIAS).waitFor();
    const heights = await Promise.all((await rows.all()).map(async (row) => (await row.boundingBox())?.height ?? Infinity));
    expect(Math.max(...heights)).toBeLessThanOrEqual(ROW_MAX);
    await page.getByRole('meter', { name: 'Slots of Demo' }).waitFor();
    expect(await page.getByRole('meter', { name: 'Slots of Demo' }).getAttribute('aria-valuetext')).toBe('3 of 8 slots in use, 1 queued');
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('says who uses what is to be stopped', async () => {
    const { page } = stage;
    const stops: unknown[] = [];
    await page.route('**/api/deployments/stop', async (route) => {
      stops.push(route.request().postDataJSON());
      await route.fulfill({ json: { deployment: 1, state: 'stopping' } });
    });
    await go('deployments', 'Deployments');
    await page.getByRole('button', { name: 'Actions for Demo' }).click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    await dialog(page).getByText('42 requests in the last hour by 1 key.').waitFor();
    await dialog(page).getByRole('button', { name: 'Stop deployment' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(stops).toEqual([{ deployment: 1 }]);
  });
});

describe('the page that makes a deployment', () => {
  it('locks a forbidden source with its reason', async () => {
    const { page } = stage;
    await go('deployments/create', 'Create deployment');
    await page.getByText('The operator can set MODEL_HOSTS.').waitFor();
    expect(await page.getByRole('radio', { name: 'Hugging Face or URL' }).isDisabled()).toBe(true);
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('lists the models of an engine before one is named', async () => {
    const { page } = stage;
    await go('deployments/create', 'Create deployment');
    await page.getByRole('radio', { name: 'Engine' }).check();
    await next();
    await page.getByLabel('Address of the engine').fill('http://engine:8000');
    await page.getByLabel('Engine credential').fill('very-secret');
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByRole('radio', { name: 'qwen3-8b' }).check();
    expect(asked.get('engines/test')).toEqual([{ source: { kind: 'http', url: 'http://engine:8000' }, credential: 'very-secret' }]);
    const workers = page.getByRole('list', { name: 'Results by worker' });
    expect(await workers.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('vm (aaaaaa)'),
      expect.stringContaining('vm (bbbbbb)'),
    ]);
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await next();
    expect(step()).toBe('size');
    await page.goBack();
    expect(await page.getByLabel('Model name at the engine').inputValue()).toBe('qwen3-8b');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('very-secret');
    await page.reload();
    expect(await page.getByLabel('Address of the engine').inputValue()).toBe('http://engine:8000');
  });

  it('shows the memory of each worker, and what is missing', async () => {
    const { page } = stage;
    await go('deployments/create?step=name', 'Create deployment');
    await page.getByRole('heading', { level: 2, name: 'Model' }).waitFor();
    expect(step()).toBe('model');
    await next();
    await page.getByText('Choose a model, or enter the path').waitFor();
    await page.getByRole('radio', { name: 'tiny.gguf' }).check();
    await next();
    await page.getByRole('textbox', { name: 'Replicas' }).fill('2');
    await page.getByText('1 of 2 replicas fit now').first().waitFor();
    await page.getByText('It has 1.0 GB of memory left.').waitFor();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('goes to the field that the service refuses', async () => {
    const { page } = stage;
    const tries: { readonly idempotency_key?: string }[] = [];
    await page.route('**/api/deployments/create', async (route) => {
      tries.push(route.request().postDataJSON() as (typeof tries)[number]);
      await route.fulfill(refusal('quota_exceeded', 'Only 4 more replicas are free.', 'replicas'));
    });
    await go('deployments/create?like=1&step=name', 'Create deployment');
    await page.getByLabel('Alias (optional)').fill('demo');
    await page.getByRole('button', { name: 'Create deployment' }).click();
    await page.getByText('This alias points at deployment-1.').waitFor();
    expect(tries).toEqual([]);
    await page.getByLabel('Alias (optional)').fill('');
    await page.getByRole('button', { name: 'Create deployment' }).click();
    await page.getByText('Only 4 more replicas are free.').waitFor();
    expect(step()).toBe('size');
    await expect.poll(() => page.locator('input:focus').getAttribute('aria-invalid')).toBe('true');
    expect(tries).toEqual([expect.objectContaining({ name: 'tiny', slots: 8, replicas: 2, context: 4_096 })]);
  });
});

describe('the page of a deployment', () => {
  it('shows a first request in the contract that is chosen', async () => {
    const { page } = stage;
    await go('deployments/deployment-1', 'Demo');
    await page.getByRole('group', { name: 'Contract' }).getByRole('button', { name: 'Responses' }).click();
    const code = page.getByRole('region', { name: 'First request' });
    await code.getByText('/v1/responses').waitFor();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('shows how embeddings are asked for where it makes those', async () => {
    const { page } = stage;
    const [found] = await Promise.all([
      page.waitForResponse('**/api/deployments/find').then((response) => response.json() as Promise<{ deployment: object }>),
      go('deployments/deployment-1', 'Demo'),
    ]);
    const embeds = { ...found, deployment: { ...found.deployment, caps: ['embed', 'dimensions:384'] } };
    await page.route('**/api/deployments/find', (route) => route.fulfill({ json: embeds }));
    await page.reload();
    await page.getByText('Embeddings of 384 numbers').waitFor();
    expect(await page.getByRole('region', { name: 'First request' }).textContent()).toContain('/v1/embeddings');
    expect(await page.getByRole('group', { name: 'Contract' }).count()).toBe(0);
    await go('playground', 'Playground');
    await page.getByText('This deployment makes embeddings and answers no conversations.').waitFor();
  });

  it('says its state on every tab, and why once', async () => {
    const { page } = stage;
    await go('deployments/deployment-3', 'Far away');
    await page.getByText('The engine answered 502: no route.').waitFor();
    expect(await page.getByText('The engine answered 502: no route.').count()).toBe(1);
    for (const tab of ['Metrics', 'Revisions', 'Settings']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await page.getByText('Failed', { exact: true }).first().isVisible()).toBe(true);
      await page.getByText(/^since/).waitFor();
    }
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('asks before unsaved settings are left', async () => {
    const { page } = stage;
    await go('deployments/deployment-1?tab=settings', 'Demo');
    await page.getByLabel('Name', { exact: true }).fill('Other');
    await page.getByRole('region', { name: 'Unsaved changes' }).getByText('Unsaved changes.').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await dialog(page).getByText('Your changes are not saved.').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Other');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('heading', { level: 2, name: 'Events' }).waitFor();
  });

  it('shows what a revision changed, why, and by whom', async () => {
    const { page } = stage;
    await go('deployments/deployment-1?tab=revisions', 'Demo');
    await page.getByRole('row', { name: /Revision 2 .*Operator.*More at once.*Slots/ }).waitFor();
    await page.getByRole('button', { name: 'Revision 2', exact: true }).click();
    const settings = dialog(page).getByRole('table', { name: 'Settings' });
    await settings.getByRole('row', { name: 'Slots (changed) 4 8' }).waitFor();
    expect(new URL(page.url()).searchParams.get('diff')).toBe('2');
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('follows a log by what is newer alone', async () => {
    const { page } = stage;
    const questions: { readonly cursor?: string; readonly search?: string; readonly level?: string }[] = [];
    await page.route('**/api/deployments/log', async (route) => {
      const body = route.request().postDataJSON() as (typeof questions)[number];
      questions.push(body);
      const newer = [logLine(`newer ${questions.length}`, { level: 'warn', request: 'req_0123456789abcdefghijAB' })];
      await route.fulfill({
        json: { lines: body.cursor === undefined ? [logLine('first', { level: 'info' })] : newer, silent: [], cursor: 'c' },
      });
    });
    await go('deployments/deployment-1?tab=logs', 'Demo');
    const log = page.getByRole('log', { name: 'Engine log' });
    await log.getByText('newer 2').waitFor();
    expect(await log.getByText('first').count()).toBe(1);
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await page.getByLabel('Search the log').fill('refused');
    await expect.poll(() => questions.at(-1)?.search).toBe('refused');
    expect(new URL(page.url()).searchParams.get('q')).toBe('refused');
    await log.getByRole('link', { name: 'req_0123456789abcdefghijAB' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Request' }).waitFor();
  });
});

describe('a request', () => {
  const ID = '0123456789abcdefghijAB';

  it('is found by the id that is pasted into the palette', async () => {
    const { page } = stage;
    const questions: unknown[] = [];
    await page.route('**/api/requests/find', async (route) => {
      questions.push(route.request().postDataJSON());
      const request = {
        ...{ key: 7, deployment: 1, rev: 2, alias: 'demo', api: 'messages', stream: true, started_at: AT, status: 'engine_error' },
        ...{ ttft_ms: 100, ms: 1_100, prompt_tokens: 12, cached_tokens: 4, completion_tokens: 11, estimated: false },
      };
      await route.fulfill({ json: { request } });
    });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill(`msg_01${ID}`);
    await page.getByRole('option', { name: `Open request msg_01${ID}` }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Engine error', { exact: true }).waitFor();
    expect(questions[0]).toEqual({ id: ID });
    await page.getByRole('link', { name: 'Demo' }).waitFor();
    const logs = await page.getByRole('link', { name: 'Logs at that time' }).getAttribute('href');
    expect(logs).toContain('tab=logs&from=2026-11-20T09:59Z&to=2026-11-20T10:01:01Z');
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('that is not known says what is kept', async () => {
    const { page } = stage;
    await page.route('**/api/requests/find', (route) => route.fulfill({ json: { request: null } }));
    await go(`requests/req_${ID}`, 'Request');
    const text = await page.getByRole('heading', { name: 'No request with this ID' }).locator('..').textContent();
    expect(text).toContain('kept for 35 days');
    expect(text).toContain('only counted');
  });
});
