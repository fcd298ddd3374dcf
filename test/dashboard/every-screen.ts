import type { Page } from 'playwright-core';
import { axeFaults, fitsWindow } from './console-browser.js';

/** Every screen and tab, in the account of a first day. */
const PLACES = [
  '/deployments',
  '/deployments/create',
  '/deployments/deployment-1',
  '/deployments/deployment-1?tab=metrics',
  '/deployments/deployment-1?tab=logs',
  '/deployments/deployment-1?tab=revisions',
  '/deployments/deployment-1?tab=settings',
  '/api-keys',
  '/api-keys?tab=mcp',
  '/api-keys/1',
  '/api-keys/1?tab=limits',
  '/api-keys/1?tab=audit',
  '/local/settings',
  '/local/settings?tab=limits',
  '/local/models',
  '/local/data-sets',
  '/local/fine-tuning',
  '/local/fine-tuning/new',
  '/local/evaluations',
  '/playground',
  '/usage',
  '/members',
  '/activity',
  '/local/profile',
  '/local/home',
  '/no-such-page',
];

/** What axe finds on every screen in both themes, and screens that are wider than a phone. */
export async function faultsOfScreens(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const path of PLACES) {
    for (const theme of ['light', 'dark'] as const) {
      await page.evaluate(`localStorage.setItem('slipway.theme', '${theme}')`);
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      for (const fault of await axeFaults(page)) faults.push(`${path} ${theme}: ${fault}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    if (!(await fitsWindow(page, 5_000))) faults.push(`${path}: wider than a phone`);
    await page.setViewportSize({ width: 1280, height: 860 });
  }
  return faults;
}
