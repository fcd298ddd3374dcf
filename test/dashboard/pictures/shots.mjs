import { join } from 'node:path';

const SCREENS = [
  ['home', '/local/home'],
  ['playground', '/local/playground'],
  ['models', '/local/models'],
  ['data-sets', '/local/data-sets'],
  ['fine-tuning', '/local/fine-tuning'],
  ['evaluations', '/local/evaluations'],
  ['deployments', '/local/deployments'],
  ['create-source', '/local/deployments/create'],
  ['deployment', '/local/deployments/deployment-2'],
  ['metrics', '/local/deployments/deployment-2?tab=metrics'],
  ['logs', '/local/deployments/deployment-1?tab=logs'],
  ['revisions', '/local/deployments/deployment-2?tab=revisions'],
  ['settings', '/local/deployments/deployment-2?tab=settings'],
  ['keys', '/local/api-keys'],
  ['key', '/local/api-keys/2'],
  ['key-limits', '/local/api-keys/2?tab=limits'],
  ['mcp-key', '/local/api-keys?tab=mcp'],
  ['usage', '/local/usage?range=1h'],
  ['usage-split', '/local/usage?range=1h&by=key&view=requests'],
  ['members', '/local/members'],
  ['activity', '/local/activity'],
  ['account-settings', '/local/settings'],
  ['account-limits', '/local/settings?tab=limits'],
  ['profile', '/local/profile'],
];
const SIZES = {
  narrow: { width: 360, height: 740 },
  wide: { width: 1280, height: 860 },
  full: { width: 1920, height: 1080 },
};
/** What hinders a screen: nothing, services that hold nothing, services that do not answer. */
const STATES = {
  filled: () => undefined,
  empty: async (route) => {
    const response = await route.fetch();
    const reply = await response.json().catch(() => ({}));
    const bare = Object.entries(reply).map(([name, value]) => [name, Array.isArray(value) ? [] : value]);
    await route.fulfill({ response, json: Object.fromEntries(bare) });
  },
  failing: (route) =>
    route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The database does not answer; try again soon.' } } }),
};
/** The calls of screens; a session goes on in each state. */
const CALLS = /\/api\/(?!refresh|me$|addresses|status)/;
/** Charts are drawn in the frames after their data came. */
const DRAWN_MS = 500;

class Camera {
  names = [];

  constructor(day, folder) {
    this.day = day;
    this.folder = folder;
  }

  async take(name, whole = false) {
    const { page } = this.day;
    await page.mouse.move(0, 0);
    // What still loads pulses.
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
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
  await day.open('/deployments');
  await camera.take('deployments');
  await day.open('/deployments/deployment-2?tab=metrics');
  await camera.take('metrics');
  await day.open('/api-keys?tab=mcp');
  await createMcpKey(day);
  await camera.take('mcp-configuration');
  await play(day);
  await camera.take('playground');
  await day.open('/usage?range=15m');
  await camera.take('usage');
  return camera.names;
}

/** Themes and sizes in which a state is looked at. */
const LOOKS = Object.keys(SIZES).flatMap((size) => ['light', 'dark'].map((theme) => [theme, size]));
const FEW_LOOKS = [
  ['light', 'wide'],
  ['dark', 'narrow'],
];

async function reviewState(day, camera, state) {
  for (const [theme, size] of state === 'filled' ? LOOKS : FEW_LOOKS) {
    await day.page.evaluate(`localStorage.setItem('slipway.theme', '${theme}')`);
    await day.page.setViewportSize(SIZES[size]);
    for (const [name, path] of SCREENS) {
      await day.open(path);
      await camera.take(`${name}-${state}-${theme}-${size}`, true);
    }
  }
}

/** Every screen with data, light and dark, as on a phone, wide, and full; empty and failing in two of these looks. */
export async function reviewAll(day, folder) {
  const camera = new Camera(day, folder);
  await day.open('/api-keys?tab=mcp');
  await createMcpKey(day);
  await camera.take('mcp-configuration');
  for (const [state, answer] of Object.entries(STATES)) {
    if (state !== 'filled') await day.page.route(CALLS, answer);
    await reviewState(day, camera, state);
    if (state !== 'filled') await day.page.unroute(CALLS);
  }
  return camera.names;
}
