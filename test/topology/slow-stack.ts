import type { Server } from 'node:http';
import { freePorts } from '@slipway/testing';
import { until } from '../testing/until.js';
import { DockerStack } from './docker-stack.js';
import { startSlowEngine, StreamLoad } from './stream-load.js';

const PATH = '/local/slow/v1/chat/completions';
const MINUTE = 60_000;

/** The stack of docker-compose.yml with three replicas of an engine whose answers last as long as a request asks. */
export class SlowStack {
  readonly #loads: StreamLoad[] = [];

  private constructor(
    readonly docker: DockerStack,
    private readonly engine: Server,
    private readonly key: string,
  ) {}

  /** Starts it, and waits until both gateways answer. @param settings of the compose file */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<SlowStack> {
    const [port = 0] = await freePorts(1);
    const engine = await startSlowEngine(port);
    const docker = await DockerStack.lay({ ENGINE_HOSTS: `host.docker.internal:${port}`, ...settings });
    await docker.up();
    await docker.cli('accounts', 'create', 'local');
    const upstream = ['--upstream', `http://host.docker.internal:${port}`, '--upstream-model', 'slow'];
    await docker.cli('deployments', 'create', ...upstream, '--replicas', '3', '--wait');
    await docker.cli('aliases', 'point', 'slow', 'deployment-1');
    const key = /svc_dep_[A-Za-z0-9]+/.exec(await docker.cli('keys', 'create', 'first'))?.[0] ?? '';
    const stack = new SlowStack(docker, engine, key);
    for (const gateway of docker.gateways) {
      const one = stack.load();
      await until(`${gateway} answers`, async () => (await one.ask(1, gateway), one.result.complete > 0), MINUTE, 500);
    }
    return stack;
  }

  /** A new load on both gateways. */
  load(): StreamLoad {
    const one = new StreamLoad(this.docker.gateways, PATH, this.key);
    this.#loads.push(one);
    return one;
  }

  /** Requests of all loads that were answered whole. */
  get answered(): number {
    return this.#loads.reduce((sum, { result }) => sum + result.complete, 0);
  }

  /** Completed requests in the ledger, once it has counted as many as were answered, or has stood still for a minute. */
  async counted(): Promise<number> {
    let counted = 0;
    const all = async (): Promise<boolean> => (counted = await this.docker.counted()) >= this.answered;
    await until(`${this.answered} requests are counted`, all, MINUTE, 1_000).catch(() => undefined);
    return counted;
  }

  /** Restarts the containers of a service one after the other, each once the one before is ready. @param seconds that they may take to end */
  async roll(service: string, seconds = 330): Promise<void> {
    for (const id of await this.docker.containers(service)) {
      await this.docker.docker('restart', '--time', String(seconds), id);
      await this.docker.whenReady(service, 2 * MINUTE);
    }
  }

  /**
   * Restarts a NATS node by lame duck: clients leave within half a minute, then the server ends, and its container starts again.
   * `docker kill` would keep it from that.
   */
  async rollNats(node: string): Promise<void> {
    const [id = ''] = await this.docker.containers(node);
    const restarts = async (): Promise<number> => Number((await this.docker.docker('inspect', '--format', '{{.RestartCount}}', id)).output);
    const before = await restarts();
    await this.docker.docker('exec', id, 'sh', '-c', 'kill -USR2 $(pidof nats-server)');
    await until(`${node} has started again`, async () => (await restarts()) > before, 2 * MINUTE, 500);
    await this.docker.whenReady(node);
  }

  /** Lets running streams end, and removes everything. */
  async remove(): Promise<void> {
    await Promise.all(this.#loads.map((one) => one.end()));
    this.engine.close();
    await this.docker.remove();
  }
}
