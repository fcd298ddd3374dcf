import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readComposeFile } from './compose-file.js';
import { readDockerIgnore } from './docker-ignore.js';
import { parseDockerfile } from './dockerfile.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const context = readDockerIgnore(join(root, '.dockerignore'));
const { stages } = parseDockerfile(join(root, 'Dockerfile'));
const names = stages.map(({ name }) => name);
const images = stages.filter(({ name }) => name === 'services' || name === 'worker');

describe('the Dockerfile', () => {
  it('copies from stages and files that exist', () => {
    const filesOf = (path: string): string[] =>
      statSync(join(root, path)).isDirectory() ? readdirSync(join(root, path)).map((name) => `${path}/${name}`) : [path];
    for (const { flags, text } of stages.flatMap(({ instructions }) => instructions.filter(({ name }) => name === 'COPY'))) {
      const sources = text.split(/\s+/).slice(0, -1);
      if (flags['from'] === undefined) expect(sources.filter((source) => !filesOf(source).some(context.includes))).toEqual([]);
      else expect(names).toContain(flags['from']);
    }
  });

  it('gives the dashboard every library source it bundles', () => {
    const config = readFileSync(join(root, 'apps/dashboard/vite.config.ts'), 'utf8');
    const bundled = [...config.matchAll(/'\.\.\/\.\.\/(libs\/[^']+)'/g)].map(([, path = '']) => path);
    expect(bundled).not.toEqual([]);
    const copies = stages.find(({ name }) => name === 'dashboard')?.instructions.filter(({ name }) => name === 'COPY') ?? [];
    const copied = copies.flatMap(({ text }) => text.split(/\s+/).slice(0, -1));
    expect(bundled.filter((path) => !copied.some((folder) => path.startsWith(`${folder}/`)))).toEqual([]);
  });

  it('copies no local data, builds or packages', () => {
    const outside = [
      '.git/config',
      '.env',
      'node_modules/zod/package.json',
      'apps/gateway/dist/main.js',
      'libs/platform/dist/linked/nest.js',
      'apps/gateway/src/config.spec.ts',
      '.slipway/secrets/launcher.json',
      'models/x.gguf',
    ];
    const inside = [
      'apps/gateway/src/main.ts',
      'libs/platform/package.json',
      'deploy/probe.sh',
      'trainers/embedded/train.cjs',
      'tools/empty-package/package.json',
      ...['compile.mjs', 'lib/compile.mjs', 'lib/link.mjs', 'lib/projects.mjs'].map((script) => `scripts/${script}`),
    ];
    expect(outside.filter(context.includes)).toEqual([]);
    expect(inside.filter((path) => !context.includes(path))).toEqual([]);
  });

  it('uses the builder’s registry configuration temporarily', () => {
    const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', '');
    const uses = text.split('\n').filter((line) => line.startsWith('RUN') && /npm (ci|pack)/.test(line));
    expect(uses.length).toBeGreaterThan(3);
    for (const line of uses) {
      expect(line).toContain('--mount=type=secret,id=ca ');
      expect(line).toContain('--mount=type=secret,id=npmrc,target=/root/.npmrc ');
    }
    const compose = readComposeFile(join(root, 'docker-compose.yml'));
    const built = Object.entries(compose.services).flatMap(([name, service]) => (service.build ? [name] : []));
    const secrets = parse(readFileSync(join(root, 'deploy/build-secrets.yml'), 'utf8')) as { services: Record<string, unknown> };
    expect(new Set(Object.keys(secrets.services))).toEqual(new Set(built));
  });

  it('has stages for every accelerator', () => {
    expect(names).toEqual(expect.arrayContaining(['cpu', 'cuda', 'modules-cpu', 'modules-cuda']));
  });

  it('builds and installs the apps that images hold', () => {
    const stepsOf = (stage: string): string =>
      stages
        .find(({ name }) => name === stage)
        ?.instructions.map(({ text }) => text)
        .join(' ') ?? '';
    for (const [image, modules] of [
      ['services', 'modules-services'],
      ['worker', 'modules-cpu'],
    ] as const) {
      const copied = [...stepsOf(image).matchAll(/\.\/(apps\/[a-z-]+)(?= |$)/g)].map(([, app = '']) => app);
      expect(copied.length, image).toBeGreaterThan(1);
      expect(copied, image).toEqual([...stepsOf(modules).matchAll(/--workspace (apps\/[a-z-]+)/g)].map(([, app]) => app));
      expect(copied.filter((app) => !stepsOf('build').includes(` ${app}`))).toEqual([]);
    }
  });

  it('runs an unprivileged process with health check', () => {
    expect(images.map(({ name }) => name)).toEqual(['worker', 'services']);
    for (const { instructions } of images) {
      const valueOf = (name: string): string => instructions.findLast((one) => one.name === name)?.text ?? '';
      const [, app = '?'] = /^\["node", "(apps\/[a-z-]+)\/dist\/main\.js"\]$/.exec(valueOf('CMD')) ?? [];
      expect(existsSync(join(root, app, 'src/main.ts'))).toBe(true);
      expect(valueOf('USER')).toBe('1000:1000');
      const script = /"\/app\/(deploy\/[\w.-]+)"/.exec(valueOf('HEALTHCHECK'))?.[1] ?? '?';
      expect(existsSync(join(root, script))).toBe(true);
    }
  });
});
