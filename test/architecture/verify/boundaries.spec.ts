import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rules = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as { forbidden: { name: string }[] };

interface Seed {
  readonly rule: string;
  readonly file: string;
  /** Imports of `file`; absent = none. */
  readonly imports?: string;
  /** A file to be imported, where the tree may have none of its kind. */
  readonly target?: string;
}

const SEEDS: readonly Seed[] = [
  { rule: 'layer-contracts', file: 'libs/contracts/src/seed-layer.ts', imports: '@slipway/platform' },
  { rule: 'layer-platform', file: 'libs/platform/src/seed-layer.ts', imports: '@slipway/database' },
  { rule: 'layer-database', file: 'libs/database/src/seed-layer.ts', imports: '@slipway/feed' },
  { rule: 'layer-stream-transport', file: 'libs/stream-transport/src/seed-layer.ts', imports: '@slipway/feed' },
  { rule: 'layer-feed', file: 'libs/feed/src/seed-layer.ts', imports: '@slipway/database' },
  { rule: 'layer-feed', file: 'libs/feed/src/seed-transport.ts', imports: '@slipway/stream-transport' },
  { rule: 'layer-proof', file: 'libs/proof/src/seed-layer.ts', imports: '@slipway/database' },
  { rule: 'layer-engine', file: 'libs/engine/src/seed-layer.ts', imports: '@slipway/stream-transport' },
  { rule: 'layer-model-text', file: 'libs/model-text/src/seed-layer.ts', imports: '@slipway/engine' },
  { rule: 'layer-model-store', file: 'libs/model-store/src/seed-layer.ts', imports: '@slipway/engine' },
  { rule: 'layer-datasets', file: 'libs/datasets/src/seed-layer.ts', imports: '@slipway/platform' },
  { rule: 'layer-engine-llama', file: 'libs/engine-llama/src/seed-layer.ts', imports: '@slipway/engine-http' },
  { rule: 'layer-engine-http', file: 'libs/engine-http/src/seed-layer.ts', imports: '@slipway/engine-llama' },
  { rule: 'libs-know-no-app', file: 'libs/platform/src/seed-app.ts', imports: '../../../apps/gateway/src/main.js' },
  { rule: 'apps-meet-over-nats', file: 'apps/gateway/src/seed-app.ts', imports: '../../keys-service/src/main.js' },
  { rule: 'dashboard-takes-types', file: 'apps/dashboard/src/seed-value.ts', imports: '@slipway/contracts' },
  { rule: 'dashboard-runs-in-browsers', file: 'apps/dashboard/src/seed-service.ts', imports: '@slipway/platform' },
  { rule: 'dashboard-runs-in-browsers', file: 'apps/dashboard/src/seed-zod.ts', imports: 'zod' },
  { rule: 'dashboard-knows-no-node', file: 'apps/dashboard/src/seed-node.ts', imports: 'node:fs' },
  { rule: 'front-door-only', file: 'apps/gateway/src/seed-door.ts', imports: '../../../libs/contracts/src/errors.js' },
  { rule: 'front-door-only', file: 'libs/feed/src/seed-door.ts', imports: '../../contracts/src/errors.js' },
  { rule: 'front-door-only', file: 'test/seed-door.ts', imports: '../libs/contracts/src/errors.js' },
  { rule: 'contracts-run-anywhere', file: 'libs/contracts/src/seed-node.ts', imports: 'node:crypto' },
  { rule: 'contracts-run-anywhere', file: 'libs/contracts/src/seed-npm.ts', imports: 'rxjs' },
  { rule: 'engines-without-zod', file: 'libs/contracts/src/engines/seed-schema.ts', imports: 'zod' },
  { rule: 'one-nats-client', file: 'apps/gateway/src/seed-nats.ts', imports: '@nats-io/transport-node' },
  { rule: 'one-nats-client', file: 'libs/stream-transport/src/seed-nats.ts', imports: '@nats-io/nats-core' },
  { rule: 'transport-without-framework', file: 'libs/stream-transport/src/seed-nest.ts', imports: '@nestjs/common' },
  { rule: 'testing-only-in-tests', file: 'apps/gateway/src/seed-testing.ts', imports: '@slipway/testing' },
  { rule: 'test-tools-only-in-tests', file: 'apps/gateway/src/seed-tool.ts', imports: 'vitest' },
  {
    rule: 'nobody-imports-a-test',
    file: 'apps/gateway/src/seed-spec.ts',
    imports: './seed.spec.js',
    target: 'apps/gateway/src/seed.spec.ts',
  },
  { rule: 'sql-stays-in-repositories', file: 'apps/keys-service/src/seed/seed-sql.service.ts', imports: 'typeorm' },
  { rule: 'sql-stays-in-repositories', file: 'apps/gateway/src/seed-sql.ts', imports: 'pg' },
  {
    rule: 'entities-stay-inside',
    file: 'apps/keys-service/src/seed/seed-entity.service.ts',
    imports: './seed.entity.js',
    target: 'apps/keys-service/src/seed/seed.entity.ts',
  },
  {
    rule: 'service-knows-no-door',
    file: 'apps/keys-service/src/seed/seed-door.service.ts',
    imports: './seed.handlers.js',
    target: 'apps/keys-service/src/seed/seed.handlers.ts',
  },
  {
    rule: 'service-knows-no-door',
    file: 'apps/gateway/src/seed/seed-door.service.ts',
    imports: './seed.controller.js',
    target: 'apps/gateway/src/seed/seed.controller.ts',
  },
  {
    rule: 'repository-knows-no-service',
    file: 'apps/keys-service/src/seed/seed-up.repository.ts',
    imports: './seed.service.js',
    target: 'apps/keys-service/src/seed/seed.service.ts',
  },
  {
    rule: 'entities-stay-inside',
    file: 'apps/keys-service/src/identity/seed-entity.service.ts',
    imports: '../db/entities.js',
  },
  { rule: 'keys-service-one-way', file: 'apps/keys-service/src/identity/seed-room.ts', imports: '../usage/entry.js' },
  { rule: 'keys-service-one-way', file: 'apps/keys-service/src/usage/seed-room.ts', imports: '../identity/secrets.js' },
  { rule: 'keys-service-one-way', file: 'apps/keys-service/src/shared/seed-room.ts', imports: '../keys/batched-lookups.js' },
  {
    rule: 'surfaces-apart',
    file: 'apps/gateway/src/surfaces/seed-one/seed.ts',
    imports: '../seed-two/seed.js',
    target: 'apps/gateway/src/surfaces/seed-two/seed.ts',
  },
  {
    rule: 'surfaces-apart',
    file: 'apps/gateway/src/surfaces/shared/seed-shared.ts',
    imports: '../seed-one/seed-contract.js',
    target: 'apps/gateway/src/surfaces/seed-one/seed-contract.ts',
  },
  { rule: 'engine-chosen-once', file: 'apps/inference-worker/src/runner/seed-choice.ts', imports: '@slipway/engine-http' },
  { rule: 'engine-chosen-once', file: 'apps/gateway/src/seed-engine.ts', imports: '@slipway/engine-llama' },
  { rule: 'one-llama-binding', file: 'apps/inference-worker/src/seed/seed-llama.ts', imports: 'node-llama-cpp' },
  { rule: 'one-llama-binding', file: 'libs/engine-http/src/seed-llama.ts', imports: 'node-llama-cpp' },
  { rule: 'one-llama-binding', file: 'libs/model-store/src/seed-llama.ts', imports: 'node-llama-cpp' },
  { rule: 'model-text-needs-no-engine', file: 'libs/model-text/src/seed-engine.ts', imports: 'undici' },
  { rule: 'no-orphan', file: 'apps/gateway/src/seed-orphan.ts' },
  { rule: 'not-to-unresolvable', file: 'apps/gateway/src/seed-missing.ts', imports: '@slipway/no-such-library' },
];

const CYCLE = ['libs/platform/src/seed-cycle-a.ts', 'libs/platform/src/seed-cycle-b.ts'] as const;

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

/** Violations in these files and their imports; `npm run lint` checks the whole tree. */
async function cruise(folder: string, files: readonly string[]): Promise<Violation[]> {
  const cli = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cli, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', '--max-depth', '2', ...files];
  const json = await new Promise<string>((resolve, reject) => {
    // The exit code is the number of violations: only a run without output is a failure.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout) resolve(stdout);
      else reject(new Error(stderr, { cause: error }));
    });
  });
  return (JSON.parse(json) as { summary: { violations: Violation[] } }).summary.violations;
}

async function copyOfTree(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-boundaries-'));
  const sources = { recursive: true, filter: (path: string) => !/\/(dist|node_modules)$/.test(path) };
  for (const part of ['apps', 'libs', 'test', '.dependency-cruiser.cjs', 'tsconfig.base.json', 'tsconfig.json', 'package.json']) {
    await cp(join(root, part), join(folder, part), sources);
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function write(folder: string, file: string, imports?: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  const text =
    imports === undefined ? 'export const seed = 1;\n' : `import * as seeded from '${imports}';\n\nexport const seed = seeded;\n`;
  await writeFile(join(folder, file), text);
}

const namesOf = (violations: readonly Violation[], file: string): string[] => [
  ...new Set(violations.filter((v) => v.from === file).map((v) => v.rule.name)),
];

describe('a forbidden import', () => {
  let folder: string;
  let violations: Violation[];

  beforeAll(async () => {
    folder = await copyOfTree();
    for (const { file, imports, target } of SEEDS) {
      if (target !== undefined) await write(folder, target);
      await write(folder, file, imports);
    }
    await write(folder, CYCLE[0], './seed-cycle-b.js');
    await write(folder, CYCLE[1], './seed-cycle-a.js');
    violations = await cruise(folder, [
      ...SEEDS.flatMap(({ file, target }) => [file, ...(target === undefined ? [] : [target])]),
      ...CYCLE,
    ]);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(SEEDS)('breaks $rule and no other rule: $file', ({ rule, file }) => {
    expect(namesOf(violations, file)).toEqual([rule]);
  });

  it('violates no-cycle when two files import each other', () => {
    // A cycle is reported once, at whichever of its files was seen first.
    expect(CYCLE.flatMap((file) => namesOf(violations, file))).toEqual(['no-cycle']);
  });

  it('is seeded for every existing rule', () => {
    expect([...new Set(SEEDS.map((seed) => seed.rule)), 'no-cycle'].toSorted()).toEqual(rules.forbidden.map((r) => r.name).toSorted());
  });
});
