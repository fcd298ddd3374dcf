/**
 * Who may import what. `test/architecture/verify/boundaries.spec.ts` seeds every forbidden import and sees each one caught.
 *
 *   contracts ← platform ← database | stream-transport | feed ← proof ← testing
 *   contracts ← platform ← engine | model-text | model-store; engine ← engine-http; engine, model-text ← engine-llama
 *   contracts ← datasets
 *   apps import libs (never testing) and never each other.
 */

const npm = (...names) => `node_modules/(${names.join('|')})(/|$)`;
const spec = '\\.spec\\.ts$';
const tests = [spec, '^test/', '^bench/', '^conformance/'];
const persistence = ['\\.(repository|entity|module)(\\.spec)?\\.ts$', '/db/', '^libs/database/', '^libs/testing/', '^test/'];

/** A library may import itself and the libraries named; apps are out of reach for all of them. */
const layer = (lib, ...below) => ({
  name: `layer-${lib}`,
  comment: `libs/${lib} may import ${below.length ? below.join(', ') : 'no other library'}.`,
  severity: 'error',
  from: { path: `^libs/${lib}/`, pathNot: spec },
  to: { path: '^libs/', pathNot: `^libs/(${[lib, ...below].join('|')})/` },
});

const layers = [
  layer('contracts'),
  layer('platform', 'contracts'),
  layer('database', 'contracts', 'platform'),
  layer('stream-transport', 'contracts', 'platform'),
  layer('feed', 'contracts', 'platform'),
  layer('proof', 'contracts', 'platform', 'feed'),
  layer('engine', 'contracts', 'platform'),
  layer('model-text', 'contracts', 'platform'),
  layer('model-store', 'contracts', 'platform'),
  layer('datasets', 'contracts'),
  layer('engine-llama', 'contracts', 'platform', 'engine', 'model-text'),
  layer('engine-http', 'contracts', 'platform', 'engine'),
];

const borders = [
  {
    name: 'libs-know-no-app',
    comment: 'A library that needs an app has its layers upside down.',
    from: { path: '^libs/' },
    to: { path: '^apps/' },
  },
  {
    name: 'apps-meet-over-nats',
    comment: 'Services are deployed apart: what two of them share is a contract, or a library.',
    from: { path: '^apps/([^/]+)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'dashboard-takes-types',
    comment: 'The page is small: of our libraries it takes the types of the contracts, which leave nothing in it, and their engines/.',
    from: { path: '^apps/dashboard/', pathNot: spec },
    to: { path: '^libs/contracts/', pathNot: '^libs/contracts/src/engines/index\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'engines-without-zod',
    comment: 'The page imports libs/contracts/src/engines as values: it brings no schema along, which would double the first load.',
    from: { path: '^libs/contracts/src/engines/', pathNot: spec },
    to: { pathNot: '^libs/contracts/src/engines/' },
  },
  {
    name: 'dashboard-runs-in-browsers',
    comment: 'Nothing of Node, of services or of their frameworks.',
    from: { path: '^apps/dashboard/src/', pathNot: spec },
    to: { path: ['^libs/(?!contracts/)', npm('zod', '@nestjs', '@nats-io', 'fastify', 'typeorm')] },
  },
  {
    name: 'dashboard-knows-no-node',
    comment: 'Nothing of Node: it runs in browsers.',
    from: { path: '^apps/dashboard/src/', pathNot: spec },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'front-door-only',
    comment:
      "Only a library's src/index.ts is its public interface; of the contracts also src/engines/index.ts, for pages, and src/plain/index.ts, for threads, of the platform src/service/index.ts and src/metrics/index.ts, for services, and of the database src/backup/index.ts, for the command line. Tests of engines try their parts, too.",
    from: { path: '^([^/]+/[^/]+)', pathNot: '^test/(engines|schemas)/' },
    to: {
      path: '^libs/',
      pathNot: [
        '^libs/[^/]+/src/index\\.ts$',
        '^libs/(contracts/src/(engines|plain)|platform/src/(service|metrics)|database/src/backup)/index\\.ts$',
        '^$1/',
      ],
    },
  },
  {
    name: 'contracts-run-anywhere',
    comment: 'Contracts run in browsers too: zod, and nothing of Node.',
    from: { path: '^libs/contracts/', pathNot: spec },
    to: { pathNot: ['^(libs|apps)/', npm('zod')] },
  },
  {
    name: 'one-nats-client',
    comment: 'Everything else goes through libs/platform: one connection per process, checked subjects.',
    from: { pathNot: '^libs/(platform|testing)/' },
    to: { path: npm('@nats-io') },
  },
  {
    name: 'transport-without-framework',
    comment: 'The stream transport is a plain library, usable and tested without Nest.',
    from: { path: '^libs/stream-transport/' },
    to: { path: npm('@nestjs') },
  },
  {
    name: 'testing-only-in-tests',
    comment: 'Test harness in a product is a fault waiting for production.',
    from: { pathNot: ['^libs/testing/', ...tests] },
    to: { path: '^libs/testing/' },
  },
  {
    name: 'test-tools-only-in-tests',
    comment: 'Not installed in production.',
    from: { pathNot: ['^libs/testing/', '\\.config\\.ts$', ...tests] },
    to: { path: npm('vitest', 'vite', 'openai', '@anthropic-ai/sdk', 'playwright-core', '@axe-core/playwright') },
  },
  {
    name: 'nobody-imports-a-test',
    comment: 'Shared harness belongs to libs/testing, or beside the tests that share it.',
    from: { pathNot: '^test/' },
    to: { path: [spec, '^test/'] },
  },
];

const insideApps = [
  {
    name: 'sql-stays-in-repositories',
    comment: 'SQL lives in repositories, entities, modules and db/.',
    from: { pathNot: persistence },
    to: { path: npm('typeorm', 'pg', '@nestjs/typeorm') },
  },
  {
    name: 'entities-stay-inside',
    comment: 'Repositories give out plain objects; a row is nobody else’s business.',
    from: { pathNot: persistence },
    to: { path: ['\\.entity\\.ts$', '/db/entities\\.ts$'] },
  },
  {
    name: 'service-knows-no-door',
    comment: 'A service is called by doors (HTTP, NATS, MCP) and knows none of them.',
    from: { path: '\\.(service|repository)\\.ts$' },
    to: { path: '\\.(controller|handlers|module|guard|filter|interceptor|tools)\\.ts$' },
  },
  {
    name: 'repository-knows-no-service',
    comment: 'Services call repositories.',
    from: { path: '\\.repository\\.ts$' },
    to: { path: '\\.service\\.ts$' },
  },
  {
    name: 'keys-service-one-way',
    comment: 'keys-service: keys may import identity and usage. Neither imports another of the three, and shared and db import none.',
    from: { path: '^apps/keys-service/src/(identity|usage|shared|db)/', pathNot: spec },
    to: { path: '^apps/keys-service/src/(identity|keys|usage)/', pathNot: '^apps/keys-service/src/$1/' },
  },
  {
    name: 'surfaces-apart',
    comment: 'Each public contract can change without the other. What both need is in surfaces/shared, which knows neither.',
    from: { path: '^apps/gateway/src/surfaces/([^/]+)/' },
    to: { path: '^apps/gateway/src/surfaces/[^/]+/', pathNot: '^apps/gateway/src/surfaces/($1|shared)/' },
  },
  {
    name: 'engine-chosen-once',
    comment: 'engines.ts of the worker picks an engine by its kind; all other code sees the interface. Training scores with llama.cpp.',
    from: { path: '^apps/', pathNot: ['^apps/inference-worker/src/engines\\.ts$', '^apps/training-worker/src/scoring\\.ts$', spec] },
    to: { path: '^libs/engine-[^/]+/' },
  },
  {
    name: 'one-llama-binding',
    comment: 'llama.cpp is reached through libs/engine-llama alone.',
    from: { pathNot: '^libs/engine-llama/' },
    to: { path: npm('node-llama-cpp') },
  },
  {
    name: 'model-text-needs-no-engine',
    comment: 'Counting and training render the same prompts as serving, and load no model for it.',
    from: { path: '^libs/model-text/' },
    to: { path: npm('node-llama-cpp', 'undici') },
  },
];

const hygiene = [
  { name: 'no-cycle', comment: 'Two files that need each other are one file, or lack a third.', from: {}, to: { circular: true } },
  {
    name: 'no-orphan',
    comment: 'Nobody imports this file and it imports nothing: delete it.',
    from: { orphan: true, path: '^(apps|libs)/', pathNot: ['/src/main\\.ts$', '\\.d\\.ts$', '^apps/dashboard/public/', spec] },
    to: {},
  },
  { name: 'not-to-unresolvable', comment: 'A misspelt or undeclared dependency.', from: {}, to: { couldNotResolve: true } },
];

module.exports = {
  forbidden: [...layers, ...borders, ...insideApps, ...hygiene].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    // Packages of this repository resolve to their sources, so that the rules see src/ and no dist/.
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^((apps|libs)/[^/]+/dist|test/schemas/generate)/' },
    enhancedResolveOptions: { conditionNames: ['import', 'node', 'default', 'types'], exportsFields: ['exports'] },
  },
};
