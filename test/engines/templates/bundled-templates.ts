import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const FOLDER = 'models/templates';
const run = (cwd: string, ...args: string[]): void =>
  void execFileSync(args[0] ?? '', args.slice(1), { cwd, stdio: ['ignore', 'ignore', 'pipe'] });

/**
 * The chat templates that llama.cpp ships, by name, from the copy of its repository that node-llama-cpp's package carries.
 * They are other people's texts, so none of them is kept here.
 */
export function bundledTemplates(): ReadonlyMap<string, string> {
  const bundle = join(createRequire(import.meta.url).resolve('node-llama-cpp'), '../../llama/gitRelease.bundle');
  const folder = mkdtempSync(join(tmpdir(), 'slipway-templates-'));
  try {
    run(folder, 'git', 'clone', '--quiet', '--no-checkout', bundle, 'llama.cpp');
    run(join(folder, 'llama.cpp'), 'git', 'checkout', '--quiet', 'HEAD', '--', FOLDER);
    const found = join(folder, 'llama.cpp', FOLDER);
    const files = readdirSync(found).filter((name) => name.endsWith('.jinja'));
    return new Map(files.toSorted().map((name) => [basename(name, '.jinja'), readFileSync(join(found, name), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
