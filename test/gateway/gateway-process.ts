import { ServiceProcess } from '../services/service-process.js';
import { PEPPERS, until } from './gateway-rig.js';

const WITHIN_MS = 30_000;

/** A line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A gateway as a process of its own, with its port and the lines of its log. */
export class GatewayProcess {
  private constructor(
    private readonly service: ServiceProcess,
    readonly port: number,
  ) {}

  /** Starts a gateway on a NATS server, and waits until it is ready. */
  static async start(natsUrl: string, environment: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const settings = { KEY_PEPPERS: PEPPERS, PORT: '0', PUBLIC_BASE_URL: 'http://gw.test', LOG_LEVEL: 'debug', ...environment };
    const service = new ServiceProcess('gateway', { url: natsUrl }, settings);
    try {
      await service.ready();
      // Lines of a log gather for a while before they leave.
      await until('the gateway has told its port', () => service.logged('gateway.listening'), WITHIN_MS);
    } catch (error) {
      await service.stop('SIGKILL');
      throw error;
    }
    return new GatewayProcess(service, service.port('gateway.listening')!);
  }

  get pid(): number {
    return this.service.pid;
  }

  get exited(): Promise<number | null> {
    return this.service.exited;
  }

  /** All that it has written. */
  get output(): string {
    return this.service.output;
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
    this.service.signal(signal);
  }

  /** Ends the process; resolves with its exit code. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    return this.service.stop(signal);
  }
}
