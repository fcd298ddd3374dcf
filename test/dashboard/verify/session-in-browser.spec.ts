import { EndSessions } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { OPS } from '../../people/people-world.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();

it('a sign-in leads to no other site', async () => {
  await stage.page.goto(`/sign-in?next=${encodeURIComponent('//evil.example/x')}`);
  await stage.fillIn();
  await stage.navigation.waitFor();
  expect(new URL(stage.page.url()).origin).toBe(stage.door.url);
});

it('a sign-in after an ended session returns there and says why', async () => {
  await stage.signIn();
  await stage.page.goto('about:blank');
  await stage.world.ask(EndSessions, { user: stage.ada.user, actor: OPS });
  await stage.page.goto(`/${stage.home}/api-keys`);
  await stage.page.getByText('Your session has ended. Sign in again to continue where you left off.').waitFor();
  await stage.fillIn();
  await stage.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  expect(stage.path).toBe(`/${stage.home}/api-keys`);
});

it('the account of a tab changes only on request', async () => {
  await stage.signIn();
  await stage.page.getByRole('button', { name: `Account ${stage.home}` }).click();
  await stage.page.getByRole('menuitemradio', { name: stage.second }).click();
  await stage.page.waitForURL(`**/${stage.second}/home`);
  await stage.page.goBack();
  await stage.page.getByText(`You are in “${stage.second}”; this belongs to “${stage.home}”.`).waitFor();
  await stage.page.getByRole('button', { name: `Switch to ${stage.home}` }).click();
  await stage.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  await stage.page.getByRole('button', { name: `Account ${stage.home}` }).waitFor();
  expect(stage.path).toBe(`/${stage.home}/api-keys`);
});
