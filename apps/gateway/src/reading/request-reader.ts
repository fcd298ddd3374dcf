import { ServiceError } from '@slipway/contracts';
import type { ThreadPool } from '@slipway/platform';
import type { InferenceCall } from '../http/request-context.js';
import type { MemoryReservation } from '../memory/memory-shares.js';
import type { BodyReading, RequestPolicy, SurfaceRequest } from '../surfaces/surface.js';
import { type ReadOutcome, type ReadRequest, type ReadTask, readRequest } from './read-request.js';

/** Largest body read on the main thread, in bytes; the slowest takes about 3 ms. */
const INLINE_BYTES = 64 * 1024;

/** A request that has been read, with its reserved memory, which the caller releases. */
export interface HeldRequest<R extends SurfaceRequest = SurfaceRequest> extends ReadRequest<R> {
  readonly hold: Pick<MemoryReservation, 'release'>;
}

type ReadCall = Pick<InferenceCall, 'caller' | 'deployment' | 'response' | 'body'>;

/** Reads request bodies: small ones on the main thread, large ones in threads, which return the canonical request. */
export class RequestReader {
  constructor(
    private readonly threads: Pick<ThreadPool, 'run'>,
    private readonly policy: RequestPolicy,
  ) {}

  /** Reads the body; called once. @throws ServiceError */
  async read<R extends SurfaceRequest>(reading: BodyReading<R>, call: ReadCall): Promise<HeldRequest<R>> {
    const { bytes, hold } = await call.body();
    try {
      if (bytes.length > INLINE_BYTES && reading.reader !== undefined)
        return { ...(await this.#inThread(reading, call, bytes, hold)), hold };
      const request = readRequest(bytes, reading, call.deployment, this.policy);
      // A small body needs no reservation while it waits for a worker.
      if (bytes.length <= INLINE_BYTES) hold.release();
      return { ...request, hold };
    } catch (error) {
      hold.release();
      throw error;
    }
  }

  async #inThread<R extends SurfaceRequest>(
    { reader = 'chat', wrongModel }: BodyReading<R>,
    { caller, deployment, response }: ReadCall,
    bytes: Buffer,
    hold: MemoryReservation,
  ): Promise<ReadRequest<R>> {
    const { facts, slug, alias, isNamed } = deployment;
    const own = ownBytes(bytes);
    const message: ReadTask = { reader, bytes: own, deployment: { facts, slug, alias }, policy: this.policy };
    const outcome = await this.threads.run<ReadOutcome>({
      message,
      transfer: [own.buffer],
      owner: { account: caller.account.id, key: caller.key.id },
      isWanted: () => !response.destroyed,
    });
    if (outcome.asked !== null && wrongModel && !isNamed(outcome.asked)) throw wrongModel(slug);
    if (outcome.kind === 'failed') throw new Error(`A body could not be read: ${outcome.reason}`);
    if (outcome.kind === 'refused') throw new ServiceError(outcome.code, outcome.message, outcome.options);
    const { request } = outcome;
    if (request.canonical instanceof Uint8Array) hold.shrinkTo(request.canonical.length);
    // Safe: the thread used the reader that the contract names.
    return request as ReadRequest<R>;
  }
}

/** The bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength;
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
