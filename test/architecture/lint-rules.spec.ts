import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lines = (count: number, text: (n: number) => string): string => Array.from({ length: count }, (_, n) => text(n)).join('\n');

/** A rule, and a file that breaks it. */
const SEEDS: readonly (readonly [rule: string, source: string])[] = [
  ['eslint(max-lines)', lines(301, (n) => `export const line${n} = ${n};`)],
  ['eslint(max-lines-per-function)', `export function long(): void {\n${lines(51, (n) => `  Math.abs(${n});`)}\n}`],
  ['slipway(max-params)', 'export const five = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;'],
  [
    'slipway(max-params)',
    'export class Seven {\n  constructor(readonly a: 1, readonly b: 2, readonly c: 3, readonly d: 4, readonly e: 5, readonly f: 6, readonly g: 7) {}\n}',
  ],
  ['eslint(max-depth)', `export function deep(n: number): void {\n${lines(4, (i) => `if (n > ${i}) {`)}\n  Math.abs(n);\n}}}}}`],
  [
    'eslint(complexity)',
    `export function branchy(n: number): number {\n${lines(13, (n) => `  if (n === ${n}) return ${n};`)}\n  return n;\n}`,
  ],
  ['eslint(eqeqeq)', 'export const same = (a: unknown, b: unknown): boolean => a == b;'],
  ['eslint(no-console)', "console.log('x');"],
  ['eslint(no-warning-comments)', '// TODO: later\nexport const later = 1;'],
  ['node(no-process-env)', "export const home = process.env['HOME'];"],
  ['unicorn(no-process-exit)', 'process.exit(1);'],
  ['import(no-default-export)', 'export default 1;'],
  ['typescript(no-explicit-any)', 'export const anything = (value: any): unknown => value as unknown;'],
  ['typescript(no-unsafe-member-access)', "export const field: unknown = JSON.parse('{}').field;"],
  ['typescript(no-non-null-assertion)', 'export const first = (list: number[]): number => list[0]!;'],
  ['typescript(ban-ts-comment)', "// @ts-ignore\nexport const wrong: number = 'x';"],
  ['typescript(no-floating-promises)', 'const wait = async (): Promise<void> => Promise.resolve();\nwait();'],
  ['typescript(no-misused-promises)', 'export const list = [1].filter(async () => Promise.resolve(true));'],
  [
    'typescript(switch-exhaustiveness-check)',
    "export function say(state: 'ready' | 'stopped'): void {\n  switch (state) {\n    case 'ready':\n      Math.abs(1);\n  }\n}",
  ],
  ['typescript(only-throw-error)', "export function fail(): never {\n  throw 'text';\n}"],
];

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

const fileOf = (index: number): string => `apps/gateway/src/seed-${index}.ts`;

async function lint(folder: string): Promise<Diagnostic[]> {
  const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '--disable-nested-config', '--format', 'json', 'apps'];
  const json = await new Promise<string>((resolve, reject) => {
    // Exits with 1 when there are findings: only a run without output is a failure.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(stdout + stderr, { cause: error }));
    });
  });
  return (JSON.parse(json) as { diagnostics: Diagnostic[] }).diagnostics;
}

describe('the linter', () => {
  let folder: string;
  let diagnostics: Diagnostic[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-lint-'));
    for (const path of ['.oxlintrc.json', 'tsconfig.base.json', 'tsconfig.json', 'tools/lint-rules']) {
      await cp(join(root, path), join(folder, path), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(dirname(join(folder, fileOf(0))), { recursive: true });
    for (const [index, [, source]] of SEEDS.entries()) await writeFile(join(folder, fileOf(index)), `${source}\n`);
    await writeFile(join(folder, 'apps/gateway/src/main.ts'), "export const home = process.env['HOME'];\n");
    diagnostics = await lint(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const found = (file: string): string[] => diagnostics.filter(({ filename }) => filename.endsWith(file)).map(({ code }) => code);

  it.each(SEEDS.map(([rule], index) => ({ rule, index })))('complains of $rule ($index)', ({ rule, index }) => {
    expect(found(fileOf(index))).toContain(rule);
  });

  it('lets main.ts read the environment', () => {
    expect(found('apps/gateway/src/main.ts')).toEqual([]);
  });
});
