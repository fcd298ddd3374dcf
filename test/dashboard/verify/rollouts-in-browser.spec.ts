import { beforeEach, describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { answerDeployments, AT, refusal } from '../deployments-stage.js';
import { dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();

const side = (requests: number, cut: number): object => ({
  ...{ requests, errors: 1, cut, first_token_ms: { p50: 120, p95: 300 }, answer_tokens: { p50: 64, p95: 90 } },
});
const RUNNING = {
  ...{ id: 5, alias: 'demo', stable: 1, candidate: 2, state: 'running', percent: 25, steps: [5, 25, 50, 100], at_step: 1, minutes: 10 },
  guard: { requests: 50, checks: ['errors', 'cut', 'first_token', 'answer_tokens'] },
  ...{ reason: null, waits_for: 'requests', started_at: AT, since: AT },
  figures: { stable: side(800, 4), candidate: side(40, 20), as_of: AT },
};
const BACK = {
  ...RUNNING,
  ...{ state: 'rolled_back', percent: 0, waits_for: null, reason: "Answers that ended at their token limit: 50 % of the candidate's." },
};

const SUITE = {
  ...{ id: 4, name: 'support', dataset: 1, dataset_name: 'questions', version: 1, sample: 10, seed: 1, graders: [{ kind: 'exact' }] },
  ...{ gate: null, source_deleted: false, evaluations: 0, created_by: { actor: 'user', actor_id: 1, actor_name: null }, created_at: AT },
};

let rollout: object | null;
let asked: { readonly call: string; readonly body: unknown }[];
/** What the next change is refused with. */
let refused: ReturnType<typeof refusal> | null;

beforeEach(async () => {
  const { page } = stage;
  [rollout, asked, refused] = [null, [], null];
  await answerDeployments(page);
  await page.route('**/api/rollouts/list', (route) =>
    route.fulfill({ json: { rollouts: rollout ? [{ ...rollout, figures: null }] : [] } }),
  );
  await page.route('**/api/rollouts/find', (route) => route.fulfill({ json: { rollout } }));
  const changes = {
    start: RUNNING,
    advance: { ...RUNNING, percent: 50, at_step: 2 },
    promote: { ...RUNNING, state: 'promoted', percent: 100 },
  };
  for (const [call, after] of Object.entries({ ...changes, 'roll-back': BACK })) {
    await page.route(`**/api/rollouts/${call}`, async (route) => {
      asked.push({ call, body: route.request().postDataJSON() as unknown });
      if (refused) return route.fulfill(refused);
      rollout = after;
      return route.fulfill({ json: { rollout } });
    });
  }
  await stage.signIn();
});

async function open(tab = ''): Promise<void> {
  await stage.page.goto(`/${stage.home}/deployments/deployment-1${tab}`);
  await stage.page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
}
const panel = () => stage.page.locator('section', { hasText: 'Rollout of' });

describe('a rollout on the page of its deployment', () => {
  it('shows share, figures of both sides and its guard', async () => {
    rollout = RUNNING;
    await open();
    await panel().getByText('25 % of conversations go to the candidate').waitFor();
    const table = stage.page.getByRole('table', { name: 'Figures of demo' });
    await table.getByRole('row').filter({ hasText: 'Cut at the token limit' }).waitFor();
    const cut = await table.getByRole('row').filter({ hasText: 'Cut at the token limit' }).getByRole('cell').allTextContents();
    expect(cut).toEqual(['4 (0.5 %)', '20 (50 %)']);
    expect(await panel().getByText('The next step waits for more requests of the candidate.').count()).toBe(1);
    expect(await axeFaults(stage.page, ['best-practice'])).toEqual([]);
  });

  it('takes a step, is promoted and rolled back', async () => {
    const { page } = stage;
    rollout = RUNNING;
    await open();
    await page.getByRole('button', { name: 'Advance' }).click();
    await dialog(page).getByText('will answer 50 % of the conversations').waitFor();
    await dialog(page).getByRole('button', { name: 'Give it 50 %' }).click();
    await page.getByText('50 % of conversations go to the candidate').waitFor();
    await page.getByRole('button', { name: 'Promote' }).click();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Promote' }).click();
    await panel().getByText('Promoted').waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await dialog(page).getByLabel('Reason (optional)').fill('It answers in French.');
    await dialog(page).getByRole('button', { name: 'Roll back' }).click();
    await panel().getByText('Rolled back').waitFor();
    expect(asked).toEqual([
      { call: 'advance', body: { alias: 'demo', from_step: 1 } },
      { call: 'promote', body: { alias: 'demo' } },
      { call: 'roll-back', body: { alias: 'demo', reason: 'It answers in French.' } },
    ]);
  });

  it('shows what its suite found, with a way to the evaluation', async () => {
    const { page } = stage;
    const figure = { grader: 'exact', unit: 'points', value: -50, low: -80, high: -1.3, items: 10, is_worse: true };
    const suite = { suite: 4, evaluation: 9, state: 'running', detail: null, done: 12, total: 40, figures: [] };
    rollout = { ...RUNNING, waits_for: 'suite', suite };
    await open();
    await panel().getByText('Running, 12 of 40').waitFor();
    expect(await panel().getByText('The next step waits for the evaluation by its suite.').count()).toBe(1);
    expect(await panel().getByRole('link', { name: 'Evaluation 9' }).getAttribute('href')).toBe(`/${stage.home}/evaluations/9`);
    rollout = { ...BACK, suite: { ...suite, state: 'worse', detail: BACK.reason, figures: [figure] } };
    await open();
    await panel().getByText('-50 points on 10 items, 95 % -80 to -1.3').waitFor();
    expect(await panel().getByText(BACK.reason).count()).toBe(1);
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  });

  it('says why the guard took the candidate back', async () => {
    rollout = BACK;
    await open();
    await panel().getByText(BACK.reason).waitFor();
    expect(await stage.page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
    expect(await axeFaults(stage.page, ['best-practice'])).toEqual([]);
  });
});

describe('the form of a rollout', () => {
  it('starts from an alias with what was chosen', async () => {
    const { page } = stage;
    await open('?tab=settings');
    await page.getByRole('button', { name: 'Roll out demo' }).click();
    await dialog(page).getByRole('combobox', { name: 'Candidate' }).click();
    await page.getByRole('option', { name: /longest name/ }).click();
    await dialog(page).getByLabel('Steps in percent').fill('10, 5');
    await dialog(page).getByRole('button', { name: 'Start' }).click();
    await dialog(page).getByText('Write rising numbers from 1 to 100').waitFor();
    await dialog(page).getByLabel('Steps in percent').fill('10, 50');
    await dialog(page).getByRole('checkbox', { name: 'Take each step by hand' }).check();
    await dialog(page).getByRole('checkbox', { name: 'Length of answers' }).uncheck();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    refused = refusal('rollout_in_progress', 'A rollout moves the alias demo to deployment-3.', 'alias');
    await dialog(page).getByRole('button', { name: 'Start' }).click();
    await dialog(page).getByText('A rollout moves the alias demo').waitFor();
    refused = null;
    await dialog(page).getByRole('button', { name: 'Start' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(asked.at(-1)).toEqual({
      call: 'start',
      body: {
        ...{ alias: 'demo', candidate: 2, steps: [10, 50], minutes: null },
        guard: { checks: ['errors', 'cut', 'first_token'] },
      },
    });
  });

  it('offers the suites of the account, where there are any', async () => {
    const { page } = stage;
    await page.route('**/api/suites/list', (route) => route.fulfill({ json: { suites: [SUITE], next: null } }));
    await open('?tab=settings');
    await page.getByRole('button', { name: 'Roll out demo' }).click();
    await dialog(page).getByRole('combobox', { name: 'Candidate' }).click();
    await page.getByRole('option', { name: /longest name/ }).click();
    await dialog(page).getByRole('combobox', { name: 'Suite' }).click();
    await page.getByRole('option', { name: /support/ }).click();
    expect(await axeFaults(page, ['best-practice'])).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Start' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(asked.at(-1)).toMatchObject({ call: 'start', body: { alias: 'demo', candidate: 2, suite: 4 } });
  });
});
