import { join } from 'node:path';

const SCREENS = [
  ['deployments', '/deployments'],
  ['deployment', '/deployments/deployment-2'],
  ['metrics', '/deployments/deployment-2?tab=metrics'],
  ['logs', '/deployments/deployment-1?tab=logs'],
  ['revisions', '/deployments/deployment-2?tab=revisions'],
  ['settings', '/deployments/deployment-2?tab=settings'],
  ['keys', '/api-keys'],
  ['key', '/local/api-keys/2'],
  ['key-limits', '/local/api-keys/2?tab=limits'],
  ['mcp-key', '/api-keys?tab=mcp'],
  ['usage', '/usage'],
  ['members', '/members'],
  ['activity', '/activity'],
  ['account', '/account'],
  ['account-limits', '/local/settings?tab=limits'],
  ['models', '/local/models'],
];
/** Charts are drawn when their code is there. */
const DRAWN_MS = 800;

class Camera {
  names = [];

  constructor(day, folder) {
    this.day = day;
    this.folder = folder;
  }

  async take(name, whole = false) {
    const { page } = this.day;
    await page.mouse.move(0, 0);
    await page.waitForTimeout(DRAWN_MS);
    await page.screenshot({ path: join(this.folder, `${name}.png`), fullPage: whole, animations: 'disabled' });
    this.names.push(name);
  }
}

async function createMcpKey({ page, dialog }) {
  await page.getByRole('button', { name: 'Create MCP key' }).click();
  await dialog.getByRole('button', { name: 'Test the connection' }).click();
  await dialog.getByText('The MCP server accepts this key.').waitFor();
}

async function play(day) {
  await day.open('/playground');
  await day.page.getByLabel('Message').fill('Who are you?');
  await day.page.keyboard.press('Enter');
  await day.page.getByRole('article').getByText('Finish reason').waitFor();
}

/** The pictures of the documentation. A key in them opens nothing: it dies with the Slipway that they are taken of. */
export async function takeAll(day, folder) {
  const camera = new Camera(day, folder);
  await day.fillInEngine();
  await camera.take('create-deployment');
  await day.open('/deployments');
  await camera.take('deployments');
  await day.open('/deployments/deployment-2?tab=metrics');
  await camera.take('metrics');
  await day.open('/api-keys');
  await camera.take('keys');
  await day.page.getByRole('button', { name: 'Create API key' }).first().click();
  await day.dialog.getByLabel('Name').fill('Support chat');
  await day.dialog.getByRole('button', { name: 'Create key' }).click();
  await day.dialog.getByLabel('Contract').waitFor();
  await camera.take('new-key');
  await day.open('/api-keys?tab=mcp');
  await createMcpKey(day);
  await camera.take('mcp-configuration');
  await play(day);
  await camera.take('playground');
  await day.open('/usage?range=1h');
  await camera.take('usage');
  return camera.names;
}

/** Every screen and the larger dialogs, light and dark, wide and as on a phone. */
export async function reviewAll(day, folder) {
  const camera = new Camera(day, folder);
  await day.open('/api-keys?tab=mcp');
  await createMcpKey(day);
  await camera.take('mcp-configuration');
  for (const theme of ['light', 'dark']) {
    await day.page.evaluate(`localStorage.setItem('slipway.theme', '${theme}')`);
    for (const [size, viewport] of Object.entries({ wide: { width: 1280, height: 860 }, narrow: { width: 360, height: 740 } })) {
      await day.page.setViewportSize(viewport);
      for (const [name, path] of SCREENS) {
        await day.open(path);
        await camera.take(`${name}-${theme}-${size}`, true);
      }
      await day.open('/usage?range=1h');
      await camera.take(`usage-split-${theme}-${size}`, true);
      await day.fillInEngine();
      await camera.take(`create-deployment-${theme}-${size}`);
    }
  }
  return camera.names;
}
