import { expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();

it('before an owner exists the sign-in says how one is made', async () => {
  const answer = { json: { has_owner: false } };
  await stage.page.route('**/api/set-up', (route) => route.fulfill(answer));
  await stage.page.goto('/sign-in');
  await stage.page.getByRole('heading', { level: 1, name: 'No owner yet' }).waitFor();
  await stage.page.getByText('npx slipway users set-up').waitFor();
  expect(await axeFaults(stage.page, ['best-practice'])).toEqual([]);
  answer.json.has_owner = true;
  await stage.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});

it('a pending invitation gets a new link, and its address a role', async () => {
  const { page, home } = stage;
  await stage.signIn();
  await page.goto(`/${home}/members`);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByLabel('Email').fill('vera@example.com');
  await page.getByRole('radio', { name: 'Viewer' }).click();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const first = await page.getByLabel('Link').inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Actions for vera@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Resend' }).click();
  await page.getByRole('button', { name: 'Create new link' }).click();
  const second = await page.getByLabel('Link').inputValue();
  expect(second).toMatch(/\/join#[\w-]{43}$/);
  expect(second).not.toBe(first);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /vera@example.com.*Viewer/ }).waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
});

it('a new name and an easy password are answered at their fields', async () => {
  const { page, home } = stage;
  await stage.signIn();
  await page.goto(`/${home}/profile`);
  await page.getByLabel('Name', { exact: true }).fill('Ada of the house');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByRole('button', { name: 'Ada of the house: profile menu' }).waitFor();
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill('password12');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
});

it('filters and details of the activity survive a reload', async () => {
  const { page, home } = stage;
  await stage.signIn();
  await page.goto(`/${home}/activity`);
  await page.getByRole('combobox', { name: 'Filter activity' }).fill('action:session.sign_in');
  await page
    .getByRole('option', { name: /Signed in/ })
    .first()
    .click();
  await page.waitForURL(/action=session\.sign_in/);
  await page.reload();
  const row = page.getByRole('row', { name: /signed in/ }).first();
  await row.getByRole('button').first().click();
  await page.getByRole('dialog', { name: 'Signed in' }).getByText('session.sign_in', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('dialog', { name: 'Signed in' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

it('an unused account sees so, and the range stays in the address', async () => {
  const { page, home } = stage;
  await stage.signIn();
  await page.goto(`/${home}/usage`);
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.waitForURL(/range=24h/);
  await page.reload();
  await page.getByRole('button', { name: 'Time range: Last 24 hours' }).waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
});
