import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHARED = 'libs/platform/dist/linked';

// Else a checkout that is moved no longer starts.
it('no linked program holds the path of the checkout', () => {
  const programs = readdirSync(join(ROOT, 'apps')).flatMap((app) => [`apps/${app}/dist/main.js`, `apps/${app}/dist/linked.js`]);
  const parts = readdirSync(join(ROOT, SHARED)).map((file) => `${SHARED}/${file}`);
  const linked = [...programs, ...parts].filter((file) => existsSync(join(ROOT, file)));
  expect(linked.length).toBeGreaterThan(20);
  expect(linked.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(ROOT))).toEqual([]);
});
