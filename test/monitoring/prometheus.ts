import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithProcess, freePorts } from '@slipway/testing';
import { stringify } from 'yaml';
import { type DebianPrograms, debianPrograms } from '../testing/debian-programs.js';
import { until } from '../testing/until.js';

const run = promisify(execFile);
const PROGRAMS: DebianPrograms = { package: 'prometheus', programs: ['usr/bin/prometheus', 'usr/bin/promtool'] };

/** Prometheus and its tool of this machine. */
export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Finds Prometheus of Debian, or fetches it. @returns why there is none, as text after `skip:` */
export async function prometheusPrograms(): Promise<PrometheusPrograms | string> {
  const found = await debianPrograms(PROGRAMS);
  if (typeof found === 'string') return found;
  const [prometheus = '', promtool = ''] = found;
  return { prometheus, promtool };
}

/** Runs promtool. @returns what it printed @throws Error with what it printed where it fails */
export async function promtool(program: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(program, [...words], { maxBuffer: 2 ** 24 });
  return `${stdout}${stderr}`;
}

/** An alert as Prometheus reports it. */
export interface ActiveAlert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A real Prometheus, which scrapes given ports of this machine and evaluates rules. */
export class Prometheus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-prometheus-'));
  #child: ChildProcess | undefined;
  #output = '';
  #port = 0;

  /** @param rules text of a file of rules. @param everyMs time between scrapes and between evaluations */
  constructor(
    private readonly program: string,
    private readonly rules: string,
    private readonly everyMs: number,
  ) {}

  /** @throws Error with its log when it is not ready within a minute */
  async start(ports: readonly number[]): Promise<void> {
    const interval = `${this.everyMs}ms`;
    writeFileSync(join(this.#folder, 'rules.yaml'), this.rules);
    const config = {
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      rule_files: ['rules.yaml'],
      scrape_configs: [{ job_name: 'slipway', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }] }],
    };
    writeFileSync(join(this.#folder, 'prometheus.yaml'), stringify(config));
    this.scrape(ports);
    [this.#port = 0] = await freePorts(1);
    const child = spawn(
      this.program,
      [
        `--config.file=${join(this.#folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(this.#folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${this.#port}`,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    endWithProcess(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (this.#output += text.toString()));
    this.#child = child;
    const isReady = async (): Promise<boolean> => (await fetch(this.#url('/-/ready')).catch(() => null))?.ok ?? false;
    await until('Prometheus is ready', isReady, 60_000, 100).catch((cause: unknown) => {
      throw new Error(this.#output, { cause });
    });
  }

  /** Scrapes these ports from now on, and no others. */
  scrape(ports: readonly number[]): void {
    const targets = ports.map((port) => `127.0.0.1:${port}`);
    writeFileSync(join(this.#folder, 'targets.json'), JSON.stringify([{ targets }]));
  }

  /** Alerts that are pending or fire. */
  async alerts(): Promise<readonly ActiveAlert[]> {
    const { data } = (await (await fetch(this.#url('/api/v1/alerts'))).json()) as { data: { alerts: ActiveAlert[] } };
    return data.alerts;
  }

  /** Values of an expression now, with their labels. @throws Error where it is none */
  async query(expression: string): Promise<readonly { readonly metric: Readonly<Record<string, string>>; readonly value: number }[]> {
    const answer = await fetch(this.#url(`/api/v1/query?query=${encodeURIComponent(expression)}`));
    if (!answer.ok) throw new Error(`${expression}: ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } };
    return data.result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #url(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }
}
