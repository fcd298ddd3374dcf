import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileProjects } from './compile.mjs';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-compile-')));
  write('apps/gateway/tsconfig.build.json', JSON.stringify({ exclude: ['src/**/*.spec.ts', 'src/main.ts'] }));
  write('apps/gateway/package.json', JSON.stringify({ type: 'module' }));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const outputs = (): string[] => readdirSync(join(root, 'apps/gateway/dist'), { recursive: true }).map(String).sort();

describe('compiling a project', () => {
  it('leaves out specs, samples and programs', () => {
    for (const file of ['main', 'door', 'door.spec', 'door.samples', 'inner/gate']) write(`apps/gateway/src/${file}.ts`, 'export {};\n');
    compileProjects(root, ['apps/gateway']);
    expect(outputs()).toEqual(['door.js', 'door.js.map', 'inner', 'inner/gate.js', 'inner/gate.js.map']);
  });

  it('keeps the parameter types that Nest injects', async () => {
    write('apps/gateway/src/keys.ts', 'export class Keys {}\n');
    write(
      'apps/gateway/src/door.ts',
      "import { Keys } from './keys.js';\nconst injectable: ClassDecorator = () => undefined;\n@injectable\nexport class Door {\n  constructor(readonly keys: Keys) {}\n}\n",
    );
    compileProjects(root, ['apps/gateway']);
    const load = async (name: string) =>
      (await import(pathToFileURL(join(root, `apps/gateway/dist/${name}.js`)).href)) as Record<string, object>;
    const [{ Door }, { Keys }] = await Promise.all([load('door'), load('keys')]);
    expect(Reflect.getMetadata('design:paramtypes', Door!)).toEqual([Keys]);
  });

  it('maps its output to the source', () => {
    write('apps/gateway/src/inner/gate.ts', 'export const one: number = 1;\n');
    compileProjects(root, ['apps/gateway']);
    const map = JSON.parse(readFileSync(join(root, 'apps/gateway/dist/inner/gate.js.map'), 'utf8')) as { file: string; sources: string[] };
    expect(map).toMatchObject({ file: 'gate.js', sources: ['../../src/inner/gate.ts'] });
  });

  it('leaves an output alone that stays the same', () => {
    write('apps/gateway/src/door.ts', 'export {};\n');
    write('apps/gateway/src/gate.ts', 'export const one = 1;\n');
    compileProjects(root, ['apps/gateway']);
    const outputs = ['door', 'gate'].map((name) => join(root, `apps/gateway/dist/${name}.js`));
    for (const output of outputs) utimesSync(output, 1, 1);
    write('apps/gateway/src/gate.ts', 'export const two = 2;\n');
    compileProjects(root, ['apps/gateway']);
    expect(outputs.map((output) => statSync(output).mtimeMs === 1_000)).toEqual([true, false]);
  });

  it('names a file that is no TypeScript', () => {
    write('apps/gateway/src/door.ts', 'const = 1;\n');
    expect(() => compileProjects(root, ['apps/gateway'])).toThrow(/^apps\/gateway\/src\/door\.ts: /);
  });
});
