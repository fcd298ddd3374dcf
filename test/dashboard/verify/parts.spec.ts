import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFaults, ConsoleBrowser } from '../console-browser.js';
import { GalleryPage, openPart } from '../gallery-page.js';
import { choose, dialog } from '../screen.js';

const FOLDER = fileURLToPath(new URL('../../../apps/dashboard/src/gallery', import.meta.url));
const PARTS = readdirSync(FOLDER).flatMap((file) => /^(.+)\.part\.tsx$/.exec(file)?.[1] ?? []);
const SIZES = { wide: { width: 1280, height: 860 }, narrow: { width: 390, height: 844 } } as const;

let gallery: GalleryPage;
let browser: ConsoleBrowser;
let page: Page;
beforeAll(async () => {
  gallery = await GalleryPage.start();
  browser = await ConsoleBrowser.start(gallery.url);
  page = await browser.person({ reducedMotion: 'reduce' });
}, 120_000);
afterAll(async () => {
  await browser?.end();
  await gallery?.end();
});

const open = (part: string, on = page): Promise<void> => openPart(on, part);

/** What the focused element is called. */
const focused = (): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: it } = document;
    const names = (it.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
    return it.getAttribute('aria-label') || names.join(' ').trim() || it.labels?.[0]?.textContent || it.textContent;
  })()`);

const THEMES = ['light', 'dark'] as const;

describe('every part', () => {
  it.each(PARTS)(
    'is accessible and fits, light and dark, wide and narrow: %s',
    async (part) => {
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await open(part);
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport);
          expect(await axeFaults(page, ['best-practice']), `${colorScheme}, ${size}`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), size).toBeLessThanOrEqual(0);
        }
      }
      await page.setViewportSize(SIZES.wide);
    },
    150_000,
  );
});

describe.each(THEMES)('in the %s theme', (colorScheme) => {
  it('open overlays are accessible', async () => {
    const viewer = await browser.person({ colorScheme, reducedMotion: 'reduce' });
    await open('overlays', viewer);
    for (const name of ['Delete deployment', 'Reveal key', 'Open request']) {
      await viewer.getByRole('button', { name }).click();
      await dialog(viewer).waitFor();
      expect(await axeFaults(viewer, ['best-practice']), name).toEqual([]);
      await open('overlays', viewer);
    }
    await viewer.getByRole('button', { name: 'Actions for deployment-2' }).click();
    await viewer.getByRole('menu').waitFor();
    await viewer.getByRole('menuitem', { name: 'Delete' }).hover();
    expect(await axeFaults(viewer)).toEqual([]);
    await viewer.keyboard.press('Escape');
    await viewer.getByRole('button', { name: 'Error' }).click();
    await viewer.getByText('The console is not responding.').waitFor();
    expect(await axeFaults(viewer, ['best-practice'])).toEqual([]);
    await viewer.context().close();
  }, 60_000);
});

describe.sequential('lists of choices', () => {
  it('a select is worked by keys and gives the focus back', async () => {
    await open('choices');
    const role = page.getByLabel('Role');
    await role.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('listbox').waitFor();
    await page.keyboard.type('v');
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await role.textContent()).toBe('Viewer');
    expect(await focused()).toBe('Role');
    await choose(role, /^Owner/);
    expect(await role.textContent()).toBe('Owner');
  });

  it('a combobox finds by a part of the name', async () => {
    const one = page.getByLabel('Deployment', { exact: true });
    await one.fill('chat-8');
    expect(await page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    expect(await one.inputValue()).toBe('support-chat-8');
    await one.fill('no such');
    await page.getByText('Nothing matches.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('a combobox of several adds and removes chips', async () => {
    const many = page.getByLabel('Deployments', { exact: true });
    await many.fill('chat-15');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove support-chat-15' }).waitFor();
    await many.press('Backspace');
    await page.getByRole('button', { name: 'Remove support-chat-15' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove deployment-3' }).click();
    expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(1);
  });

  it('Escape in a combobox of several keeps its chips', async () => {
    const chips = page.getByRole('button', { name: /^Remove / });
    const before = await chips.count();
    expect(before).toBeGreaterThan(0);
    await page.getByLabel('Deployments', { exact: true }).focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await chips.count()).toBe(before);
  });

  it('switches, boxes and cards follow space and arrows', async () => {
    const follow = page.getByRole('switch', { name: 'Follow' });
    await follow.focus();
    await page.keyboard.press('Space');
    expect(await follow.getAttribute('aria-checked')).toBe('false');
    const revoked = page.getByRole('checkbox', { name: 'Show revoked keys' });
    await page.getByText('Show revoked keys').click();
    expect(await revoked.getAttribute('aria-checked')).toBe('true');
    await page.getByRole('radio', { name: 'On the workers' }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('radio', { name: 'Hugging Face' }).getAttribute('aria-checked')).toBe('true');
    expect(await page.getByRole('radio', { name: 'Engine' }).isDisabled()).toBe(true);
  });
});

describe.sequential('forms', () => {
  it('a wrong field says why and gets the focus', async () => {
    await open('forms');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a name.').waitFor();
    expect(await focused()).toBe('Name');
    await page.keyboard.type('Website');
    await choose(page.getByLabel('Expires after'), 'Never');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Keys here must end.').waitFor();
    expect(await focused()).toBe('Expires after');
  });

  it('keep what was typed, and lose it on reset', async () => {
    await choose(page.getByLabel('Expires after'), '30 days');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Website, 30 days').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await page.getByLabel('Expires after').textContent()).toBe('90 days');
    expect(await page.getByLabel('Name').inputValue()).toBe('');
  });

  it('numbers go in steps and stay within limits', async () => {
    const replicas = page.getByLabel('Replicas', { exact: true });
    await replicas.focus();
    await page.keyboard.press('ArrowUp');
    expect(await replicas.inputValue()).toBe('3');
    await page.keyboard.press('End');
    expect(await replicas.inputValue()).toBe('8');
    await page.getByRole('slider', { name: 'Temperature' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('textbox', { name: 'Temperature' }).inputValue()).toBe('0.8');
  });
});

describe.sequential('windows', () => {
  it('a deletion focuses its field and waits for the name', async () => {
    await open('overlays');
    const opener = page.getByRole('button', { name: 'Delete deployment' });
    await opener.press('Enter');
    await expect.poll(focused).toBe('Type deployment-2 to confirm');
    expect(await dialog(page).getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await page.keyboard.type('deployment-2');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Delete deployment');
  });

  it('a question without fields focuses the button that cancels', async () => {
    await page.getByRole('button', { name: 'Stop deployment' }).press('Enter');
    await expect.poll(focused).toBe('Cancel');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('a secret stays until it is stored', async () => {
    await page.getByRole('button', { name: 'Reveal key' }).click();
    await page.keyboard.press('Escape');
    const done = dialog(page).getByRole('button', { name: 'Done' });
    expect(await done.isDisabled()).toBe(true);
    await dialog(page).getByText('I have stored it').click();
    await done.click();
    await dialog(page).waitFor({ state: 'detached' });
  });

  it('a drawer stands at the right, on phones below', async () => {
    const opener = page.getByRole('button', { name: 'Open request' });
    await opener.press('Enter');
    const box = async () => (await dialog(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    // It slides in.
    await expect.poll(box).toEqual({ x: 720, y: 0, width: 560, height: 860 });
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Open request');
    await page.setViewportSize(SIZES.narrow);
    await opener.press('Enter');
    const edges = async (): Promise<readonly number[]> => {
      const { x, y, width, height } = await box();
      return [x, x + width, y + height];
    };
    await expect.poll(edges).toEqual([0, 390, 844]);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.setViewportSize(SIZES.wide);
  });

  it('a menu is worked by keys and skips what is disabled', async () => {
    const menu = page.getByRole('button', { name: 'Actions for deployment-2' });
    await menu.press('Enter');
    await page.getByRole('menuitem', { name: /^Open in Playground/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).waitFor();
    await expect.poll(focused).toBe('Actions for deployment-2');
  });

  it('an announcement can be undone and dismissed', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    const region = page.getByRole('region', { name: 'Announcements' });
    await region.getByText('3 keys are hidden.').waitFor();
    await region.getByRole('button', { name: 'Undo' }).click();
    await region.getByText('They are back.').waitFor();
    await region.getByText('3 keys are hidden.').waitFor({ state: 'detached' });
    await region.getByRole('button', { name: 'Dismiss' }).click();
    await region.getByText('They are back.').waitFor({ state: 'detached' });
    expect(await region.getByRole('button').count()).toBe(0);
  });
});

describe.sequential('what is read', () => {
  it('a button with a picture explains itself', async () => {
    await open('buttons');
    await page.getByRole('button', { name: 'Columns' }).hover();
    await page.getByText('Columns', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Columns' }).getAttribute('title')).toBeNull();
  });

  it('a number and a time are exact on hover', async () => {
    await open('figures');
    await page.getByText('128.5K').hover();
    await page.getByText('128,490').waitFor();
    await page
      .getByText(/ago$|^just now$/)
      .first()
      .hover();
    await page.getByText('2026-11-21 14:03:07 UTC').waitFor();
    expect(await page.getByText('128,490').count()).toBe(0);
  });

  it('a tab is an address, and arrows move between tabs', async () => {
    await open('flows');
    expect(await page.getByRole('tab', { name: 'MCP Key' }).getAttribute('href')).toBe('?part=flows&tab=mcp');
    await page.getByRole('tab', { name: 'Deployment Keys' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByText('The key of agents.').waitFor();
    await page.getByRole('tab', { name: 'Deployment Keys' }).click();
    await page.getByText('Keys of programs.').waitFor();
    expect(new URL(page.url()).search).toBe('?part=flows');
  });

  it('times are in UTC once a person chose so', async () => {
    const abroad = await browser.person({ timezoneId: 'Asia/Tokyo' });
    await open('flows', abroad);
    await abroad.getByText('Sunday 22 November 2026').waitFor();
    await abroad.getByRole('switch', { name: 'Times in UTC' }).click();
    await abroad.getByText('Saturday 21 November 2026').waitFor();
    await abroad.reload();
    await abroad.getByText('Saturday 21 November 2026').waitFor();
    expect(await abroad.getByText('Sunday 22 November 2026').count()).toBe(0);
    await abroad.context().close();
  });
});

it('no part broke the content security policy or threw', () => {
  expect(browser.faults).toEqual([]);
});
