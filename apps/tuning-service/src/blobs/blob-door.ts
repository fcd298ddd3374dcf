import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ERRORS, isServiceError, ServiceError } from '@slipway/contracts';
import { CONFIG, dropBody, LOG, type Logger, ServedCertificate } from '@slipway/platform';
import type { TuningServiceConfig } from '../config.js';
import { TuningMetrics } from '../tuning-metrics.js';
import { UploadDoor } from '../uploads/upload-door.js';
import { BlobStore } from './blob-store.js';
import { type GoodTicket, Tickets } from './tickets.js';

/** Which bytes of a file an answer holds: `[start, end)`. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
  /** False = the whole file is answered, with 200. */
  readonly isPart: boolean;
}

/** Reads a `Range` header of one range. Forms that are not served, and ranges outside of the file, give the whole file. */
function rangeOf(header: string | undefined, bytes: number): ByteRange {
  const whole = { start: 0, end: bytes, isPart: false };
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return whole;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes : Math.min(bytes, Number(to) + 1);
  return start < end ? { start, end, isPart: true } : whole;
}

/** How long a stop waits for transfers, in milliseconds, within the service's own deadline. */
const STOP_MS = 5_000;
/** A connection on which nothing moves is closed, in milliseconds. */
const SILENT_MS = 120_000;

const READS = ['GET', 'HEAD'];

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * The HTTP port, with TLS where there is a certificate, through which bytes come and go for consoles, workers and training workers. It
 * opens for tickets alone, and answers alike for all that are not good: 404.
 */
@Injectable()
export class BlobDoor {
  readonly #server: Server | TlsServer;
  readonly #certificate: ServedCertificate | null;

  constructor(
    @Inject(CONFIG) private readonly config: TuningServiceConfig,
    @Inject(LOG) private readonly log: Logger,
    private readonly tickets: Tickets,
    private readonly blobs: BlobStore,
    private readonly uploads: UploadDoor,
    metrics: TuningMetrics,
  ) {
    const { BLOB_CERT: cert, BLOB_KEY: key } = config;
    const served = (expiry: number): void => metrics.certificate(expiry);
    this.#certificate = cert === undefined || key === undefined ? null : new ServedCertificate({ cert, key }, { log, served });
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.#serve({ request, response });
    this.#server = this.#certificate ? createTlsServer(listener) : createServer(listener);
    this.#server.requestTimeout = 0;
    this.#server.timeout = SILENT_MS;
  }

  async start(): Promise<void> {
    await this.#certificate?.start(this.#server as TlsServer);
    this.#server.listen(this.config.BLOB_PORT, this.config.BLOB_HOST);
    await once(this.#server, 'listening');
    this.log.info({ port: (this.#server.address() as AddressInfo).port }, 'blobs.listening');
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#certificate?.stop();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), Math.min(STOP_MS, deadlineMs));
    await closed;
    clearTimeout(timer);
  }

  /** Address of the door for those who fetch and send. */
  get url(): string {
    const { BLOB_DOOR_URL: url, BLOB_HOST: host } = this.config;
    if (url !== undefined) return url.replace(/\/+$/, '');
    const { port } = this.#server.address() as AddressInfo;
    const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http${this.#certificate ? 's' : ''}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    try {
      await this.#route(exchange);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      refuse(response, error);
      if (!isServiceError(error)) this.log.error({ err: error, method: request.method }, 'blobs.failed');
    }
    if (!request.complete) dropBody(request);
  }

  #route(exchange: Exchange): Promise<void> {
    const { method = '', url = '' } = exchange.request;
    const { pathname, searchParams } = new URL(url, 'http://door');
    const [, kind = '', name = '', ...rest] = pathname.split('/');
    const isRead = READS.includes(method);
    const ticket = searchParams.get('t') ?? '';
    const way = rest.length === 0 ? kind : '';
    if (way === 'uploads') return this.#upload(name, exchange);
    if (way === 'downloads' && isRead) return this.#save(name, exchange);
    if (way === 'b') return isRead ? this.#read(name, ticket, exchange) : this.#write(name, ticket, exchange);
    throw nothingHere();
  }

  async #upload(ticket: string, { request, response }: Exchange): Promise<void> {
    const good = await this.#good(ticket, 'upload');
    await this.uploads.serve(good, request, response);
  }

  async #read(sha256: string, ticket: string, exchange: Exchange): Promise<void> {
    const good = await this.#good(ticket, 'read');
    if (good.subject !== sha256) throw nothingHere();
    await this.#send(good, exchange, 'application/octet-stream');
  }

  async #save(ticket: string, exchange: Exchange): Promise<void> {
    const good = await this.#good(ticket, 'save');
    if (exchange.request.method === 'GET' && !(await this.tickets.use(good))) throw nothingHere();
    exchange.response.setHeader('content-disposition', `attachment; filename="${good.name.replaceAll(/[^\w.-]/g, '_')}"`);
    await this.#send(good, exchange, good.name.endsWith('.tar') ? 'application/x-tar' : 'application/jsonl');
  }

  async #send({ account, subject }: GoodTicket, { request, response }: Exchange, type: string): Promise<void> {
    const blob = await this.blobs.open(account, subject);
    if (!blob) throw nothingHere();
    const { start, end, isPart } = rangeOf(request.headers.range, blob.bytes);
    const part = isPart ? { 'content-range': `bytes ${start}-${end - 1}/${blob.bytes}` } : {};
    response.writeHead(isPart ? 206 : 200, {
      ...{ 'content-type': type, 'content-length': end - start, 'accept-ranges': 'bytes', etag: `"${subject}"` },
      ...part,
    });
    if (request.method === 'HEAD') return void response.end();
    // A client that goes away is no failure of ours.
    await pipeline(Readable.from(blob.read(start, end)), response).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }

  async #write(sha256: string, ticket: string, { request, response }: Exchange): Promise<void> {
    const good = await this.#good(ticket, 'write');
    if (good.subject !== sha256 || request.method !== 'PUT') throw nothingHere();
    const bounded = async function* (): AsyncGenerator<Uint8Array> {
      let bytes = 0;
      for await (const piece of request as AsyncIterable<Uint8Array>) {
        bytes += piece.length;
        if (bytes > good.bytes) throw otherBytes();
        yield piece;
      }
    };
    const staged = await this.blobs.stage(good.account, bounded());
    if (staged.sha256 !== sha256) {
      await this.blobs.discard(staged);
      throw otherBytes();
    }
    const body = JSON.stringify(await this.blobs.keep(good.account, staged));
    response.writeHead(201, { 'content-type': 'application/json' }).end(body);
  }

  async #good(ticket: string, verb: GoodTicket['verb']): Promise<GoodTicket> {
    const good = await this.tickets.verify(ticket, verb);
    if (!good) throw nothingHere();
    return good;
  }
}

const nothingHere = (): ServiceError => new ServiceError('not_found', 'There is nothing at this address, or it has expired.');
const otherBytes = (): ServiceError => new ServiceError('upload_conflict', 'The bytes that came are not those that were announced.');

function refuse(response: ServerResponse, error: unknown): void {
  const shown = isServiceError(error) ? error : new ServiceError('internal', 'The blob door failed; try again.');
  // Whether an upload existed is nothing that a bad ticket may learn.
  const { code, message } = shown.code === 'upload_not_found' ? nothingHere() : shown;
  const { status } = ERRORS[code];
  const retry = shown.retryAfterS === undefined ? {} : { 'retry-after': String(shown.retryAfterS) };
  response.writeHead(status, { 'content-type': 'application/json', ...retry }).end(JSON.stringify({ error: { code, message } }));
}
