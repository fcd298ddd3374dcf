import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linkPrograms } from './link.mjs';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-link-')));
  write({ 'apps/gateway/tsconfig.build.json': TSCONFIG });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TSCONFIG = JSON.stringify({ include: ['src'], exclude: ['src/**/*.spec.ts', 'src/main.ts'] });

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const run = (program: string): string => execFileSync(process.execPath, [join(root, program)], { encoding: 'utf8' }).trim();

const SHARED_CLOCK = { 'libs/clock/dist/index.js': 'export const born = performance.now();\n' };

describe('a linked program', () => {
  it('runs without the modules that it imports', async () => {
    write({
      ...SHARED_CLOCK,
      'apps/gateway/src/main.ts': "import { greet } from './greet.js';\nconst name: string = 'you';\nconsole.log(greet(name));\n",
      'apps/gateway/dist/greet.js': 'export const greet = (name) => `Hello, ${name}.`;\n',
    });
    await linkPrograms(root);
    rmSync(join(root, 'apps/gateway/dist/greet.js'));
    expect(run('apps/gateway/dist/main.js')).toBe('Hello, you.');
  });

  it('finds what lies beside its modules', async () => {
    write({
      'apps/gateway/src/main.ts': "import './inner/place.js';\n",
      'apps/gateway/dist/inner/place.js':
        "import { readFileSync } from 'node:fs';\nconsole.log(readFileSync(new URL('../../note.txt', import.meta.url), 'utf8'));\n",
      'apps/gateway/note.txt': 'a note',
    });
    await linkPrograms(root);
    expect(run('apps/gateway/dist/main.js')).toBe('a note');
  });

  it('looks for packages that are missing when it wants them', async () => {
    write({
      'apps/gateway/src/main.ts': "import './optional.js';\n",
      'apps/gateway/dist/optional.js': "console.log(await import('not-installed').catch(({ code }) => code));\n",
    });
    await linkPrograms(root);
    expect(run('apps/gateway/dist/main.js')).toBe('ERR_MODULE_NOT_FOUND');
  });
});

describe('definitions of services', () => {
  const service = (name: string): Record<string, string> => ({
    [`apps/${name}/tsconfig.build.json`]: TSCONFIG,
    [`apps/${name}/src/main.ts`]: `import './${name}.js';\n`,
    [`apps/${name}/dist/${name}.js`]: "export { born } from '../../../libs/clock/dist/index.js';\n",
  });

  it('share what they load', async () => {
    write({ ...SHARED_CLOCK, ...service('keys-service'), ...service('tuning-service') });
    write({
      'both.mjs':
        "const [a, b] = await Promise.all(['keys', 'tuning'].map((name) => import(`./apps/${name}-service/dist/linked.js`)));\nconsole.log(a.born === b.born);\n",
    });
    await linkPrograms(root);
    expect(run('both.mjs')).toBe('true');
  });

  it('keep no shared part of the build before', async () => {
    write({ ...SHARED_CLOCK, ...service('keys-service'), ...service('tuning-service'), 'libs/platform/dist/linked/old-1234.js': '' });
    await linkPrograms(root);
    const parts = readdirSync(join(root, 'libs/platform/dist/linked'));
    expect(parts).not.toContain('old-1234.js');
    expect(parts.length).toBeGreaterThan(0);
  });
});
