import { ServiceInProcess } from '../services/service-in-process.js';
import { ServiceProcess } from '../services/service-process.js';
import type { NatsAddress, TestService } from '../services/test-service.js';
import { PEPPERS, until } from './gateway-rig.js';

const WITHIN_MS = 30_000;
const SETTINGS = { KEY_PEPPERS: PEPPERS, PORT: '0', PUBLIC_BASE_URL: 'http://gw.test', LOG_LEVEL: 'debug', DRAIN_MS: '5000' };

type Environment = Readonly<Record<string, string>>;
/** A line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A gateway that is reached by its port and seen by its log, wherever it runs. */
class LoggedGateway<S extends TestService> {
  protected constructor(
    protected readonly service: S,
    readonly port: number,
  ) {}

  /** All that it has logged. */
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

  /** Ends it in order, as SIGTERM does; resolves with its exit code. */
  stop(): Promise<number | null> {
    return this.service.stop();
  }

  /** Ends it in the quickest way that leaves nothing behind. */
  end(): Promise<void> {
    return this.service.end();
  }
}

/** Waits until a gateway serves, and returns its port. */
async function portOf(service: TestService): Promise<number> {
  try {
    await service.ready();
    // Lines of a log gather for a while before they leave a process.
    await until('the gateway has logged its port', () => service.logged('gateway.listening'), WITHIN_MS);
  } catch (error) {
    await service.end();
    throw error;
  }
  return service.port('gateway.listening')!;
}

/** A gateway in the process of the test, with the log and the settings of one of its own. */
export class GatewayInProcess extends LoggedGateway<ServiceInProcess> {
  /** Starts a gateway on a NATS server, and waits until it is ready. */
  static async start(nats: NatsAddress, environment: Environment = {}): Promise<GatewayInProcess> {
    const service = new ServiceInProcess('gateway', nats, { ...SETTINGS, ...environment });
    return new GatewayInProcess(service, await portOf(service));
  }
}

/** A gateway as a process of its own. */
export class GatewayProcess extends LoggedGateway<ServiceProcess> {
  /** Starts a gateway on a NATS server, and waits until it is ready. @param flags of Node and V8 */
  static async start(nats: NatsAddress, environment: Environment = {}, flags: readonly string[] = []): Promise<GatewayProcess> {
    const service = new ServiceProcess('gateway', nats, { ...SETTINGS, ...environment }, undefined, flags);
    return new GatewayProcess(service, await portOf(service));
  }

  get pid(): number {
    return this.service.pid;
  }
}
