import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ENV, PEPPERS, until } from './gateway-rig.js';

const MAIN = fileURLToPath(new URL('../../apps/gateway/dist/main.js', import.meta.url));
const WITHIN_MS = 30_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A gateway as a process of its own, run from its build. */
export class GatewayProcess {
  /** Everything that it has written. */
  output = '';
  readonly exited: Promise<number | null>;

  private constructor(private readonly child: ChildProcess) {
    running.add(child);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.exited = once(child, 'exit').then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
  }

  /** Starts a gateway on a NATS server, and waits until it is ready. */
  static async start(natsUrl: string, environment: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      SLIPWAY_ENV: ENV,
      NATS_URL: natsUrl,
      KEY_PEPPERS: PEPPERS,
      PORT: '0',
      PUBLIC_BASE_URL: 'http://gw.test',
      LOG_LEVEL: 'debug',
      DRAIN_MS: '5000',
      ...environment,
    };
    const gateway = new GatewayProcess(spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
    try {
      await until('the gateway process is ready', () => gateway.isReady(), WITHIN_MS);
    } catch (error) {
      await gateway.stop('SIGKILL');
      throw new Error(`The gateway process said: ${gateway.output}`, { cause: error });
    }
    return gateway;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get port(): number {
    return Number(this.lines.find(({ event }) => event === 'gateway.listening')?.['port'] ?? 0);
  }

  get lines(): LogLine[] {
    const whole = this.output.slice(0, this.output.lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** The log line of one request, once it is written. */
  async lineOf(requestId: string): Promise<LogLine> {
    const find = (): LogLine | undefined => this.lines.find((line) => line['request_id'] === requestId);
    await until(`the log has a line of ${requestId}`, () => find() !== undefined, WITHIN_MS);
    return find()!;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the process; resolves with its exit code. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }

  private async isReady(): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error('It ended before it was ready.');
    if (this.port === 0) return false;
    return (await fetch(`http://127.0.0.1:${this.port}/readyz`)).status === 200;
  }
}
