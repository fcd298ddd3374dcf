import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { pageOf } from './figures/page.js';
import type { Cell, RunFile } from './figures/run-file.js';
import { measureRest } from './loads/at-rest.js';
import { measureIdle } from './loads/idle-streams.js';
import { LOADS, shortened, WARM_UP } from './loads/loads.js';
import { orderOf, type Surroundings, takeCell, waysOf } from './loads/rounds.js';
import { type BenchOptions, readOptions, USAGE } from './options.js';
import type { CleanUp } from './processes/clean-up.js';
import { HelperProcess } from './processes/helper-process.js';
import { type BenchStage, temporaryFolder, withCleanUp } from './stage.js';
import { startNginx } from './ways/nginx.js';
import { startSlipway } from './ways/slipway.js';
import { directWay, type Way } from './ways/way.js';

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Everything that takes part, running. */
interface Field {
  readonly surroundings: Surroundings;
  readonly ways: readonly Way[];
}

async function bringUp(stage: BenchStage, cleanUp: CleanUp): Promise<Field> {
  const folder = await temporaryFolder(cleanUp);
  const start = async <First>(script: string): Promise<{ helper: HelperProcess; first: First }> => {
    const started = await HelperProcess.start<First>(script);
    cleanUp.add(() => started.helper.stop());
    return started;
  };
  const { helper: engine, first } = await start<{ port: number }>('engine/engine-process.js');
  const { helper: clients } = await start('clients/load-process.js');
  const owned = (server: { stop(): Promise<void> }): void => cleanUp.add(() => server.stop());
  const enginePort = first.port;
  const nginx = await startNginx(
    { binary: stage.nginx, folder: join(folder, 'nginx'), port: await stage.freePort(), upstreamPort: enginePort },
    owned,
  );
  note('Starting Slipway…');
  const { root, environment } = stage;
  const slipway = await startSlipway(
    { name: 'slipway', version: 'this', root, environment, dataDir: join(folder, 'data'), port: await stage.freePort(), enginePort },
    owned,
  );
  return { surroundings: { clients, engine, progress: note }, ways: [directWay(enginePort), nginx, slipway] };
}

async function runRounds({ loads, rounds, share }: BenchOptions, { surroundings, ways }: Field): Promise<Cell[]> {
  const cells: Cell[] = [];
  const chosen = LOADS.filter(({ name }) => loads.includes(name)).map((load) => (share < 1 ? shortened(load, share) : load));
  const keys = new Map<string, string>();
  for (const way of chosen.some((load) => load.hasRefusedKey) ? ways : []) {
    const key = await way.refusedKey();
    if (key !== null) keys.set(way.name, key);
  }
  if (chosen.length > 0) for (const way of ways) for (const load of WARM_UP) await takeCell(surroundings, load, way, null);
  for (let round = 0; round < rounds; round += 1) {
    note(`Round ${round + 1} of ${rounds}`);
    for (const load of chosen) {
      for (const way of orderOf(waysOf(load, ways, keys), round)) {
        const key = load.hasRefusedKey ? (keys.get(way.name) ?? null) : null;
        cells.push({ round, ...(await takeCell(surroundings, load, way, key)) });
      }
    }
  }
  return cells;
}

/** Runs everything that was asked for. */
async function measure(options: BenchOptions, field: Field): Promise<RunFile> {
  const startedAt = new Date();
  const before = loadavg()[0] ?? 0;
  const servers = field.ways.filter(({ name }) => name !== 'direct');
  const rest = options.rest ? await measureRest(servers, options.share) : [];
  const idle = [];
  for (const way of options.idle ? servers : []) idle.push(await measureIdle(field.surroundings, way, options.share));
  const cells = await runRounds(options, field);
  return {
    form: 1,
    at: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1_000),
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model ?? '',
      node: process.version,
      load: [before, loadavg()[0] ?? 0],
    },
    rounds: options.rounds,
    share: options.share,
    ways: field.ways.map(({ name, version, does, lacks }) => ({ name, version, does, lacks })),
    loads: LOADS.filter(({ name }) => options.loads.includes(name)).map(({ name, title, unit }) => ({ name, title, unit })),
    cells,
    rest,
    idle,
  };
}

/** @returns the path of the file */
async function write(root: string, run: RunFile): Promise<string> {
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${run.at.replaceAll(':', '-').slice(0, 19)}.json`);
  await writeFile(path, `${JSON.stringify(run)}\n`);
  return path;
}

/**
 * Runs the benchmark to its end.
 * @returns the exit code
 */
export async function runBench(stage: BenchStage): Promise<number> {
  const options = readOptions(stage.argv);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  return withCleanUp(async (cleanUp) => {
    const run = await measure(options, await bringUp(stage, cleanUp));
    const path = await write(stage.root, run);
    process.stdout.write(`${pageOf(run)}\n${path}\n`);
    return 0;
  });
}
