import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateDeployment, deploymentSlug, type DeploymentId } from '@slipway/contracts';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { runCli } from '../cli/cli-rig.js';
import { ENV } from '../services/bus.js';
import type { ServiceProcess } from '../services/service-process.js';
import { until } from '../testing/until.js';
import { type Tenant, UsageRig } from '../usage/usage-rig.js';
import { ALERTS } from './alert-rules.js';
import { type ActiveAlert, Prometheus, prometheusPrograms } from './prometheus.js';

/** Only bounds a failure. */
const FIRES_WITHIN_MS = 60_000;

/**
 * The rules with shorter times: every `for` is 1 s, rates are those of 15 s, and the ledger may lag for 2 s in place of 120.
 * Everything else, all other bounds included, is as operators get it.
 */
function quickRules(): string {
  const rules = ALERTS.map((rule) => ({
    ...rule,
    for: '1s',
    expr: rule.expr.replaceAll('[5m]', '[15s]').replace('slipway_ledger_lag_seconds) > 120', 'slipway_ledger_lag_seconds) > 2'),
  }));
  return stringify({ groups: [{ name: 'slipway', rules }] });
}

/** The product as processes, with a PostgreSQL of its own, and a Prometheus that scrapes all of them each second. */
export class AlertStage {
  /** End what a test began, also when it failed: the last one first. */
  readonly repairs: (() => unknown)[] = [];

  private constructor(
    readonly rig: UsageRig<ServiceProcess>,
    readonly prometheus: Prometheus,
    readonly tenant: Tenant,
    /** For files of tests. */
    readonly folder: string,
  ) {}

  /** Where tests put model files. */
  get models(): string {
    return join(this.folder, 'models');
  }

  static async start(program: string): Promise<AlertStage> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-alerts-'));
    await mkdir(join(folder, 'models'));
    const places = { MODEL_DIRS: join(folder, 'models'), MODEL_CACHE_DIR: join(folder, 'cache') };
    const rig = await UsageRig.startProcesses(1, { ...places, QUEUE_WAIT_MS: '5000', INVALID_KEYS_PER_S: '0' });
    const prometheus = new Prometheus(program, quickRules(), 1_000);
    try {
      const stage = new AlertStage(rig, prometheus, await rig.tenant(), folder);
      await prometheus.start(stage.#ports());
      await until('all processes are scraped', async () => (await prometheus.query('up == 1')).length === rig.all.length);
      return stage;
    } catch (error) {
      await prometheus.stop();
      await rig.end();
      throw error;
    }
  }

  get gateway(): ServiceProcess {
    return this.process('gateway');
  }

  process(app: ServiceProcess['app']): ServiceProcess {
    const found = this.rig.processes(app)[0];
    if (!found) throw new Error(`There is no ${app}.`);
    return found;
  }

  /** Scrapes the processes that there are now, and others. */
  scrape(...others: readonly ServiceProcess[]): void {
    this.prometheus.scrape([...this.#ports(), ...others.flatMap((one) => one.port('ops.listening') ?? [])]);
  }

  /** Waits until an alert fires, with these labels. */
  fires(name: string, labels: Readonly<Record<string, string>> = {}, withinMs = FIRES_WITHIN_MS): Promise<ActiveAlert> {
    const firing = async (): Promise<ActiveAlert | undefined> =>
      (await this.#firing(name)).find((alert) => Object.entries(labels).every(([label, value]) => alert.labels[label] === value));
    return until(`${name} fires`, firing, withinMs, 200);
  }

  /** Waits until an alert does not fire. */
  isQuiet(name: string): Promise<true> {
    return until(`${name} is quiet`, async () => (await this.#firing(name)).length === 0, FIRES_WITHIN_MS, 200);
  }

  /** A deployment of the scripted engine, or of what `changes` say. */
  async deployment(changes: Partial<z.input<typeof CreateDeployment.request>> = {}): Promise<DeploymentId> {
    const source = { kind: 'http' as const, url: this.rig.upstream.url, model: 'scripted' };
    return (await this.rig.command(CreateDeployment, { account: this.tenant.account, name: 'another', source, ...changes })).id;
  }

  /** Asks a deployment, not streamed unless said so. @param text what the scripted engine reads: `complete 3`, `hold 1`, `fail 0` */
  ask(deployment: DeploymentId, text: string, stream = false): Promise<Response> {
    const model = deploymentSlug(deployment);
    return fetch(`${this.rig.addressOf(this.gateway)}/${model}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': this.tenant.key.value, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    });
  }

  /** Waits until a deployment answers. */
  async whenServed(deployment: DeploymentId, text = 'complete 1'): Promise<void> {
    const answers = async (): Promise<boolean> => {
      const response = await this.ask(deployment, text);
      await response.text();
      return response.ok;
    };
    await until('the deployment answers', answers, FIRES_WITHIN_MS, 100);
  }

  /** Runs `npx slipway` as an operator. @returns what it printed */
  async slipway(...args: readonly string[]): Promise<string> {
    const { url, credentialsDir } = this.rig.bus;
    const environment = { NATS_URL: url, NATS_CREDENTIALS_DIR: credentialsDir, SLIPWAY_ENV: ENV };
    const { stdout, stderr } = await runCli(args, { environment });
    return `${stdout}${stderr}`;
  }

  /** Lines of a process's log that have an event. */
  lines(app: ServiceProcess['app'], event: string): Record<string, unknown>[] {
    const lines = this.process(app)
      .output.split('\n')
      .filter((line) => line.includes(`"event":"${event}"`) && line.endsWith('}'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Freezes all processes of PostgreSQL, or lets them go on. */
  database(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of [this.rig.postgres.pid, ...childrenOf(this.rig.postgres.pid)]) process.kill(pid, signal);
  }

  /** Does something again and again until the test is over. */
  keepOn(act: () => Promise<unknown>): void {
    let isOver = false;
    const running = (async () => {
      while (!isOver) await act();
    })();
    running.catch(() => undefined);
    this.repairs.push(() => {
      isOver = true;
      return running;
    });
  }

  async repair(): Promise<void> {
    for (const repair of this.repairs.splice(0).toReversed()) await repair();
  }

  async end(): Promise<void> {
    await this.prometheus.stop();
    await this.rig.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #firing(name: string): Promise<readonly ActiveAlert[]> {
    return (await this.prometheus.alerts()).filter(({ state, labels }) => state === 'firing' && labels['alertname'] === name);
  }

  #ports(): number[] {
    return this.rig.all.flatMap((one) => one.port('ops.listening') ?? []);
  }
}

/** A stage, or why there is no Prometheus here. */
export async function openAlertStage(): Promise<AlertStage | string> {
  const programs = await prometheusPrograms();
  return typeof programs === 'string' ? programs.slice('skip:'.length) : AlertStage.start(programs.prometheus);
}

/** The processes that a process has started. */
function childrenOf(parent: number): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => {
    try {
      // The name of a program, in brackets, may hold spaces.
      const [, after = ''] = /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return Number(after) === parent;
    } catch {
      return false;
    }
  });
}
