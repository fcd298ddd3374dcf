import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareRelay } from './bare-relay.js';
import { CleanUp } from './clean-up.js';
import { HelperProcess } from './helper-process.js';
import { type Findings, FULL, LOADS, type LoadContext, QUICK, warmUp } from './loads.js';
import { Measurements } from './measurement.js';
import { Nginx } from './nginx.js';
import { type BenchOptions, USAGE, readOptions } from './options.js';
import { rowsOf, sentencesOf, tableOf } from './report.js';
import { Slipway } from './slipway.js';
import { verdictLines, verdictsOf } from './verdicts.js';

/** What the first stage, scripts/bench.mjs, prepared. */
export interface BenchStage {
  readonly root: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nginx: string;
  readonly freePort: () => Promise<number>;
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const DIRECT_PATH = '/v1/chat/completions';

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Everything that takes part, running. */
async function bringUp(stage: BenchStage, cleanUp: CleanUp): Promise<{ measurements: Measurements; slipway: Slipway }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  // PostgreSQL does not run as root: whoever it runs as must get to its data.
  await chmod(folder, 0o755);
  const start = async <First>(script: string): Promise<{ helper: HelperProcess; first: First }> => {
    const started = await HelperProcess.start<First>(script);
    cleanUp.add(() => started.helper.stop());
    return started;
  };
  const { helper: upstream, first } = await start<{ port: number }>('upstream-process.js');
  const { helper: clients } = await start('load-process.js');
  const owned = (server: { stop(): Promise<void> }): void => cleanUp.add(() => server.stop());
  const upstreamPort = first.port;
  const nginx = await Nginx.start(
    { binary: stage.nginx, folder: join(folder, 'nginx'), port: await stage.freePort(), upstreamPort },
    owned,
  );
  const natsServer = stage.environment['NATS_SERVER_BIN'] ?? 'nats-server';
  const bare = await startBareRelay({ natsServer, natsPort: await stage.freePort(), upstreamPort, folder: join(folder, 'bare') }, cleanUp);
  note('Starting Slipway…');
  const { root, environment } = stage;
  const slipway = await Slipway.start(
    { root, environment, dataDir: join(folder, 'data'), port: await stage.freePort(), upstreamPort },
    owned,
  );
  const direct = { port: upstreamPort, path: DIRECT_PATH, model: 'bench', key: null };
  const { port, path, key, groups } = slipway;
  const routes = {
    direct: { target: direct, groups: {} },
    nginx: { target: { ...direct, port: nginx.port }, groups: { nginx: nginx.pids } },
    bare: { target: { ...direct, port: bare.port }, groups: bare.groups },
    slipway: { target: { port, path, model: 'demo', key }, groups },
  };
  note(`Processes: ${JSON.stringify({ ...groups, nginx: nginx.pids, upstream: [upstream.pid], clients: [clients.pid] })}`);
  return { measurements: new Measurements({ clients, upstream, routes, progress: note }), slipway };
}

async function runLoads({ quick, only }: BenchOptions, measurements: Measurements, slipway: Slipway): Promise<Findings> {
  const findings: Findings = {};
  const context: LoadContext = {
    measurements,
    sizes: quick ? QUICK : FULL,
    findings,
    logs: slipway.logs,
    revokedKey: () => slipway.revokedKey(),
  };
  await warmUp(context);
  for (const [name, load] of Object.entries(LOADS)) if (only === null || only === name) await load(context);
  return findings;
}

/** First line that a program prints about its version, on whichever stream. */
const versionOf = (binary: string, flag: string): string =>
  execFileSync('/bin/sh', ['-c', '"$1" "$2" 2>&1', 'sh', binary, flag], { encoding: 'utf8' }).split('\n')[0] ?? '';

async function publish(stage: BenchStage, options: BenchOptions, measurements: Measurements, findings: Findings): Promise<void> {
  const rows = rowsOf(measurements.all.filter(({ load }) => load !== 'warm-up'));
  const verdicts = verdictsOf(rows, findings);
  const machine = { cores: availableParallelism(), node: process.version, nginx: versionOf(stage.nginx, '-v') };
  const startedAt = new Date().toISOString();
  const folder = join(stage.root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${startedAt.replaceAll(':', '-').slice(0, 19)}.json`);
  await writeFile(path, `${JSON.stringify({ at: startedAt, options, machine, findings, verdicts, rows }, null, 1)}\n`);
  const remarks = [...sentencesOf(findings), '', ...verdictLines(verdicts)].join('\n');
  const table = rows.length === 0 ? '' : `\n${tableOf(rows)}\n`;
  process.stdout.write(`${table}\n${remarks}\n\n${path}\n`);
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
  const cleanUp = new CleanUp();
  const interrupted = new Promise<number>((resolve) => {
    for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => resolve(code));
  });
  const work = async (): Promise<number> => {
    const { measurements, slipway } = await bringUp(stage, cleanUp);
    const findings = await runLoads(options, measurements, slipway);
    await publish(stage, options, measurements, findings);
    return 0;
  };
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    await cleanUp.run();
  }
}
