import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Files that are or will be committed. */
const files = (pattern: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', pattern], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

/** Generated files, which are never committed. */
const isIgnored = (path: string): boolean => spawnSync('git', ['check-ignore', path, `${path}/`], { cwd: root }).status === 0;

// Third-party texts, with links to their own pages.
const PAGES = files('*.md').filter((page) => page !== 'THIRD_PARTY_NOTICES.md');
const OPERATIONS = ['docs/operations.md', ...files('docs/operations/*.md')].map(read).join('\n');
const SOURCES = [...files('apps/**/*.ts'), ...files('libs/**/*.ts')].filter((file) => !file.endsWith('.spec.ts')).map(read);

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '');

/** Anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[`*]/g, '')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

const anchorsOf = (file: string): string[] =>
  [...withoutCode(read(file)).matchAll(/^#{1,6}\s+(.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
}

describe('the documentation', () => {
  it('has no broken link', () => {
    const links = PAGES.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
    );
    const local = links.filter(({ link }) => !/^[a-z]+:/.test(link));
    expect(local.length).toBeGreaterThan(20);
    expect(local.filter(({ page, link }) => isBroken(page, link))).toEqual([]);
  });

  it('names only files that exist', () => {
    const named = PAGES.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/`((?:apps|libs|test|docs|scripts|models|deploy)\/[\w./-]+)`/g)].map(([, path = '']) => ({
        page,
        path,
      })),
    );
    expect(named.filter(({ path }) => !existsSync(join(root, path)) && !isIgnored(path))).toEqual([]);
  });

  it('explains every variable of .env.example to operators', () => {
    const variables = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
    expect(variables.length).toBeGreaterThan(10);
    expect(variables.filter((name) => !OPERATIONS.includes(`\`${name}\``))).toEqual([]);
  });

  it('explains exactly the metrics that exist', () => {
    const metrics = new Set(SOURCES.flatMap((text) => [...text.matchAll(/'(slipway_(?:\w+_)\w+)'/g)].map(([, name = '']) => name)));
    expect(metrics.size).toBeGreaterThan(10);
    expect([...metrics].filter((name) => !OPERATIONS.includes(name))).toEqual([]);
    const found = new Set([...OPERATIONS.matchAll(/`(slipway_(?:gateway|worker)_\w+)/g)].map(([, name = '']) => name));
    expect([...found].filter((name) => !metrics.has(name))).toEqual([]);
  });
});
