import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import { type TestProjectConfiguration, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/testing/longest-first.js';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Unit tests read libraries from source, so that they need no build. */
const libsFromSource = { find: /^@slipway\/([a-z-]+)$/, replacement: `${root}libs/$1/src/index.ts` };
const partsFromSource = { find: /^@slipway\/([a-z-]+)\/([a-z-]+)$/, replacement: `${root}libs/$1/src/$2/index.ts` };

/** What starts as a thread or a process of its own is taken from the build of its app: Node cannot run sources. */
const threadsFromBuild: Plugin = {
  name: 'threads-from-build',
  enforce: 'pre',
  transform(code, id) {
    const [, home, file] = /^(.*\/(?:apps|libs)\/[^/]+)\/src\/([^?]+)\.ts$/.exec(id) ?? [];
    if (home === undefined || !code.includes('import.meta.url')) return null;
    return code.replace(/new URL\('([^'\n]+\.js)', import\.meta\.url\)/g, (_, path: string) => {
      const built = new URL(path, pathToFileURL(`${home}/dist/${file}.js`));
      return `new URL(${JSON.stringify(built.href)})`;
    });
  },
};

/** Tests under `test/` run what is built, which Node loads in a third of the time that sources take. The page is no part of it. */
const fromBuild: Plugin = {
  name: 'from-build',
  enforce: 'pre',
  resolveId(source, importer) {
    const [, home, file] = /\/((?:apps|libs)\/(?!dashboard\/)[^/]+)\/src\/(.+\.js)$/.exec(source) ?? [];
    return home === undefined || importer?.startsWith(`${root}test/`) !== true
      ? null
      : { id: `${root}${home}/dist/${file}`, external: true };
  },
};

type ProjectTest = NonNullable<Extract<TestProjectConfiguration, { test?: unknown }>['test']>;

function project(name: string, { reads = 'build', ...test }: ProjectTest & { reads?: 'source' | 'build' }): TestProjectConfiguration {
  return {
    ...(reads === 'source'
      ? { plugins: [threadsFromBuild], resolve: { alias: [libsFromSource, partsFromSource] } }
      : { plugins: [fromBuild] }),
    // Stated here because specs belong to no tsconfig that the transformer would find.
    oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    test: { name, root, environment: 'node', pool: 'forks', retry: 0, server: { deps: { external: [/\/dist\//] } }, ...test },
  };
}

// Files of one worker share the modules that they load: loading them for each would be a fifth of the time.
const sharedModules = { isolate: false };
// Processes of tests live for minutes: V8 looks for garbage less often, and optimises only what is called often. Two runs of all
// files at the same time, one with these and one without: 0.93 times the processor time.
const SHORT_LIVED = ['--initial-old-space-size=400', '--min-semi-space-size=16', '--interrupt-budget=1000000'];
const withProcesses = { testTimeout: 60_000, hookTimeout: 120_000, teardownTimeout: 30_000, globalSetup: 'test/testing/shared-servers.ts' };
const BOUNDED = ['test/faults/{drain,losses,streams,worker-loss}.spec.ts', 'test/feed/*.spec.ts'];
const VERIFY = ['test/verify/**/*.spec.ts', 'test/**/verify/**/*.spec.ts'];
// Of the long suites those that bound nothing in time.
const PATIENT = [
  'test/verify/**/*.spec.ts',
  'test/{adapters,architecture,cli,clients,dashboard,deployments,engines,fuzz,keys,mcp,schemas,training}/verify/**/*.spec.ts',
];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', {
        reads: 'source',
        include: ['{apps,libs}/*/src/**/*.spec.ts', 'bench/src/**/*.spec.ts', 'conformance/src/**/*.spec.ts', 'scripts/**/*.spec.ts'],
        // One more than the cores: some wait for threads of their own.
        maxWorkers: 3,
        ...sharedModules,
        testTimeout: 20_000,
        sequence: { groupOrder: 0 },
      }),
      project('integration', {
        include: ['test/**/*.spec.ts'],
        exclude: ['**/node_modules/**', ...BOUNDED, ...VERIFY],
        ...withProcesses,
        // More than the cores: these wait for processes most of their time.
        maxWorkers: 6,
        execArgv: SHORT_LIVED,
        ...sharedModules,
        sequence: { groupOrder: 1 },
      }),
      project('bounded', {
        include: BOUNDED,
        exclude: ['**/node_modules/**', ...VERIFY],
        ...withProcesses,
        ...sharedModules,
        // Promises with a bound in time are tried last and three at a time: most of them start many processes.
        maxWorkers: 3,
        sequence: { groupOrder: 2 },
      }),
      project('patient', {
        include: PATIENT,
        ...withProcesses,
        testTimeout: 300_000,
        maxWorkers: 2,
        sequence: { groupOrder: 3 },
      }),
      project('verify', {
        include: VERIFY,
        exclude: ['**/node_modules/**', ...PATIENT],
        ...withProcesses,
        // They fill the machine or measure it: one at a time.
        fileParallelism: false,
        testTimeout: 300_000,
        sequence: { groupOrder: 4 },
      }),
    ],
  },
});
