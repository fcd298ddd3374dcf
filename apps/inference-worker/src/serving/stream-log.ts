import { isServiceError, requestIdOf, ServiceError, type Start, type StreamTimes } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import { describeFault } from './describe-fault.js';

/** The fields that identify a start. */
export type StartName = Omit<Start, 'req' | 'caps'>;

/** Logs one stream: times, counts and outcome, never its content. */
export class StreamLog {
  constructor(
    private readonly log: Logger,
    private readonly start: StartName,
  ) {}

  /** The line at the end of a stream. */
  ended(fields: Record<string, unknown>, { queue, prefill, total }: StreamTimes): void {
    const { st, at, dep, rev, api } = this.start;
    this.log.info(
      {
        request: requestIdOf(st),
        stream: st,
        attempt: at,
        deployment: dep,
        rev,
        api,
        ...fields,
        queue_ms: queue,
        prefill_ms: prefill,
        ms: total,
      },
      'stream',
    );
  }

  /** The error that a stream ends with; logs its cause. */
  failure(error: unknown): ServiceError {
    const failure = isServiceError(error)
      ? error
      : new ServiceError('engine_error', 'The engine failed; its log says why.', { cause: error });
    if (failure.cause !== undefined) {
      this.log.error(
        { request: requestIdOf(this.start.st), stream: this.start.st, code: failure.code, fault: describeFault(failure.cause) },
        'stream.fault',
      );
    }
    return failure;
  }
}
