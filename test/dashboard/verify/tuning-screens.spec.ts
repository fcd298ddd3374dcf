import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults, fitsWindow } from '../console-browser.js';
import { choose, dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';
import { answerTuning, SECRET_TEXT } from '../tuning-answers.js';

const stage = SignedOutPage.around();

const PATHS = [
  'data-sets',
  'data-sets/support',
  'data-sets/release-codename?diff=1',
  'data-sets/release-codename?tab=statistics',
  'data-sets/release-codename?tab=uses',
  'fine-tuning',
  'fine-tuning?tab=adapters',
  'fine-tuning/new?dataset=release-codename',
  'fine-tuning/1',
  'fine-tuning/3?tab=log',
  'fine-tuning/4?tab=answers',
  'fine-tuning/1?tab=events',
  'fine-tuning/1?tab=settings',
  'fine-tuning/adapters/1',
  'evaluations',
  'evaluations?tab=suites',
  'evaluations/1',
  'evaluations/2',
  'evaluations/3',
  'evaluations/1/vote',
];

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`/${stage.home}/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** Signs in as somebody who has this role, as far as the page knows. */
async function signInAs(role: string): Promise<string[]> {
  const { page } = stage;
  await page.route('**/api/{sign-in,refresh}', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { account?: object };
    await route.fulfill({ response, json: { ...body, ...(body.account && { account: { ...body.account, role } }) } });
  });
  const made = await answerTuning(page);
  await stage.signIn();
  return made;
}

describe('the screens of data sets and fine-tuning', () => {
  it('are accessible in both themes, and fit a phone', async () => {
    const { page } = stage;
    await signInAs('owner');
    const faults: string[] = [];
    for (const path of PATHS) {
      await page.evaluate("localStorage.setItem('slipway.theme', 'light')");
      await show(page, path);
      for (const fault of await axeFaults(page, ['best-practice'])) faults.push(`${path} light: ${fault}`);
      await page.evaluate("document.documentElement.dataset.theme = 'dark'");
      for (const fault of await axeFaults(page, ['best-practice'])) faults.push(`${path} dark: ${fault}`);
      await page.setViewportSize({ width: 360, height: 740 });
      if (!(await fitsWindow(page, 30_000))) faults.push(`${path}: wider than a phone`);
      await page.setViewportSize({ width: 1280, height: 860 });
    }
    expect(faults).toEqual([]);
  }, 300_000);

  it('ask for no text of examples for viewers', async () => {
    const made = await signInAs('viewer');
    for (const path of [...PATHS, 'data-sets/release-codename?tab=examples']) {
      await show(stage.page, path);
      expect(await stage.page.locator('#content').innerText(), path).not.toContain(SECRET_TEXT);
    }
    const forMembers = [
      'examples/list',
      'jobs/samples',
      'jobs/output',
      'jobs/plan',
      'adapters/answers',
      'evaluations/items',
      'evaluations/pairs',
    ];
    expect(made.filter((name) => forMembers.includes(name))).toEqual([]);
    expect(made).toContain('jobs/metrics');
  }, 180_000);
});

describe('a new job', () => {
  it('keeps everything when it is refused, and says it where it belongs', async () => {
    const { page } = stage;
    await signInAs('member');
    const sent: unknown[] = [];
    await page.route('**/api/jobs/create', async (route) => {
      sent.push(route.request().postDataJSON());
      const error = { code: 'name_taken', message: 'A job of this name exists.', param: 'name' };
      await route.fulfill({ status: 409, json: { error } });
    });
    await show(page, 'fine-tuning/new?dataset=release-codename');
    await page.getByRole('region', { name: 'Plan' }).getByText('216').waitFor();
    await page.getByLabel('Name (optional)').fill('codename');
    await page.getByRole('button', { name: 'Show settings' }).click();
    await page.getByLabel('Learning rate').fill('3e-5');
    await choose(page.getByRole('combobox', { name: 'Schedule' }), 'linear');
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.getByRole('alert').filter({ hasText: 'A job of this name exists.' }).waitFor();
    expect(sent).toEqual([
      expect.objectContaining({ dataset: 'release-codename', name: 'codename', settings: { learning_rate: 3e-5, schedule: 'linear' } }),
    ]);
    await page.reload();
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('codename');
    expect(await page.getByLabel('Learning rate').inputValue()).toBe('3e-5');
  });
});

describe('an adapter whose verdict is bad', () => {
  it('is deployed by owners alone, for a reason', async () => {
    const { page } = stage;
    await signInAs('member');
    await show(page, 'fine-tuning/adapters/1');
    await page.getByText('3 answers repeat themselves.').first().waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog(page).getByText('Only an owner of the account may deploy it.').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Deploy' }).isDisabled()).toBe(true);
  });

  it('carries the reason of the owner', async () => {
    const { page } = stage;
    await signInAs('owner');
    const sent: unknown[] = [];
    await page.route('**/api/aliases/list', (route) => route.fulfill({ json: { aliases: [], next: null } }));
    await page.route('**/api/deployments/create', async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 409, json: { error: { code: 'gate_not_passed', message: 'Refused.' } } });
    });
    await show(page, 'fine-tuning/adapters/1');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Deploy' }).click();
    await dialog(page).getByText('Give a reason.').waitFor();
    await dialog(page).getByLabel('Reason for deploying it nevertheless').fill('A demonstration.');
    await dialog(page).getByRole('button', { name: 'Deploy' }).click();
    await dialog(page).getByText('Refused.').waitFor();
    expect(sent).toEqual([expect.objectContaining({ name: 'release-codename v1', adapter: { id: 1, override: 'A demonstration.' } })]);
  });

  it('is deployed on an HTTP engine that is named', async () => {
    const { page } = stage;
    await signInAs('owner');
    const sent: unknown[] = [];
    await page.route('**/api/aliases/list', (route) => route.fulfill({ json: { aliases: [], next: null } }));
    await page.route('**/api/deployments/create', async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ status: 409, json: { error: { code: 'gate_not_passed', message: 'Refused.' } } });
    });
    await show(page, 'fine-tuning/adapters/1');
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await dialog(page).getByLabel('Reason for deploying it nevertheless').fill('A demonstration.');
    await dialog(page).getByLabel('Engine', { exact: true }).click();
    await page.getByRole('option', { name: 'HTTP engine' }).click();
    await dialog(page).getByRole('button', { name: 'Deploy' }).click();
    await dialog(page).getByText('Enter the name.').waitFor();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await dialog(page).getByLabel('Address of the engine').fill('http://gpu-1:8000');
    await dialog(page).getByLabel('Name of the base at the engine').fill('org/base');
    await dialog(page).getByRole('button', { name: 'Deploy' }).click();
    await dialog(page).getByText('Refused.').waitFor();
    const source = { kind: 'http', url: 'http://gpu-1:8000', model: 'org/base' };
    expect(sent).toEqual([expect.objectContaining({ source, adapter: { id: 1, override: 'A demonstration.' } })]);
  });
});
