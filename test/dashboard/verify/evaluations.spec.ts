import { describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';
import { answerTuning, SECRET_TEXT } from '../tuning-answers.js';

const stage = SignedOutPage.around();

async function show(path: string): Promise<void> {
  await stage.page.goto(`/${stage.home}/${path}`);
  await stage.page.getByRole('heading', { level: 1 }).waitFor();
  await stage.page.waitForLoadState('networkidle');
}

describe('the screens of evaluations', () => {
  it('say with each figure how certain it is', async () => {
    const { page } = stage;
    await answerTuning(page);
    await stage.signIn();
    await show('evaluations');
    await page.getByRole('table', { name: 'Evaluations' }).getByText('Expression +12 points').first().waitFor();
    await show('evaluations/1');
    const matrix = page.getByRole('region', { name: 'Results by deployment and grader' });
    await matrix.getByText('+6 points, 95 % -1 to +13, 100 items: not certain').waitFor();
    await matrix.getByText('+12 points, 95 % +5 to +19, 100 items: certain').waitFor();
    await matrix.getByText('30 wins, 20 losses, 48 ties, 2 unread').waitFor();
    const asked: unknown[] = [];
    await page.route('**/api/evaluations/items', async (route) => {
      asked.push(route.request().postDataJSON());
      await route.fallback();
    });
    await page.getByRole('button', { name: 'Differs' }).click();
    await page.getByRole('list', { name: 'Items' }).getByText('Judge: worse').first().waitFor();
    await expect.poll(() => asked, { timeout: 10_000 }).toContainEqual({ evaluation: 1, filter: 'differs', limit: 10, after: 0 });
  });

  it('take votes by the keys 1, 2 and 3', async () => {
    const { page } = stage;
    await answerTuning(page);
    await stage.signIn();
    const votes: unknown[] = [];
    await page.route('**/api/evaluations/vote', async (route) => {
      votes.push((route.request().postDataJSON() as { choice: string }).choice);
      await route.fallback();
    });
    await show('evaluations/1/vote');
    for (const [at, key] of ['3', '2', '1'].entries()) {
      await page.getByText(`user: Question ${at + 1}`).waitFor();
      await page.keyboard.press(key);
    }
    await page.getByText('Nothing is left to vote on').waitFor();
    expect(votes).toEqual(['right', 'tie', 'left']);
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('lead from nothing to a suite', async () => {
    const { page } = stage;
    await answerTuning(page);
    await stage.signIn();
    await page.route('**/api/suites/list', (route) => route.fulfill({ json: { suites: [], next: null } }));
    await page.route('**/api/evaluations/list', (route) => route.fulfill({ json: { evaluations: [], next: null } }));
    const made: unknown[] = [];
    await page.route('**/api/suites/create', async (route) => {
      made.push(route.request().postDataJSON());
      await route.fulfill({ json: { suite: 5 } });
    });
    await show('evaluations');
    await page.getByRole('button', { name: 'Make a suite' }).click();
    await dialog(page).getByLabel('Name').fill('support');
    await dialog(page).getByRole('combobox', { name: 'Data set' }).fill('release');
    await page.getByRole('option', { name: /release-codename/ }).click();
    await dialog(page).getByRole('checkbox', { name: 'Expression' }).check();
    await dialog(page).getByText('Write an expression.').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Expression' }).fill('^Blue');
    expect(await axeFaults(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Create suite' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(made).toEqual([
      {
        ...{ name: 'support', dataset: 'release-codename', sample: 100 },
        graders: [{ kind: 'exact' }, { kind: 'regex', pattern: '^Blue' }, { kind: 'degenerate' }],
      },
    ]);
    expect(await page.locator('#content').innerText()).not.toContain(SECRET_TEXT);
  });
});
