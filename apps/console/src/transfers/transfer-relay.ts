import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { ERRORS, isServiceError, ServiceError } from '@slipway/contracts';
import { dropBody, TransferRate } from '@slipway/platform';
import type { OwnOrigin } from '../http/own-origin.js';
import type { BlobDoor } from './blob-door.js';

/** Slowest upload. */
const FLOOR = { bytesPerSecond: 64 * 1024, windowMs: 60_000 } as const;
/** Interval at which the rate is checked, in milliseconds. */
const CHECK_EVERY_MS = 5_000;
/** How long the door may stay silent once the body is complete, and between two pieces of a download, in milliseconds. */
const SILENT_MS = 120_000;

/**
 * A new connection for each transfer, so that none is used that the door has closed. It asks to keep the connection: a door that
 * closes it after an early answer would break off the body, and with it the answer.
 */
const ONCE = { keepAlive: true, maxFreeSockets: 0 } as const;
const AGENTS = { http: new Agent(ONCE), https: new SecureAgent(ONCE) } as const;

/** What one kind of path allows, and what passes in each direction. Cookies and credentials never do. */
interface Kind {
  readonly methods: readonly string[];
  readonly asked: readonly string[];
  readonly answered: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  uploads: {
    methods: ['OPTIONS', 'HEAD', 'PATCH', 'POST', 'DELETE', 'PUT'],
    asked: [
      ...['content-length', 'content-type', 'content-encoding', 'tus-resumable'],
      ...['upload-offset', 'upload-length', 'upload-defer-length', 'upload-metadata', 'upload-checksum'],
    ],
    answered: [
      ...['content-length', 'content-type', 'retry-after', 'location', 'allow'],
      ...['tus-resumable', 'tus-version', 'tus-extension', 'tus-max-size', 'tus-checksum-algorithm'],
      ...['upload-offset', 'upload-length', 'upload-defer-length', 'upload-expires'],
    ],
  },
  downloads: {
    methods: ['GET', 'HEAD'],
    asked: ['range', 'if-range'],
    answered: ['content-length', 'content-type', 'content-range', 'accept-ranges', 'etag', 'retry-after'],
  },
};

const PATH = /^\/(uploads|downloads)\/([^?#]*)(?:\?.*)?$/;
/** As the contract's `Ticket`. */
const TICKET = /^[A-Za-z0-9_.-]{20,1024}$/;

/** The request's log line. Never gets a ticket. */
export interface TransferLogLine {
  note(fields: { route?: string; error?: string }): void;
  cause(cause: unknown): void;
}

/** Where a transfer goes, and whose certificate is trusted there. */
interface Target {
  readonly url: URL;
  readonly ca?: string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly line: TransferLogLine;
}

/**
 * Relays `/uploads/<ticket>` and `/downloads/<ticket>` to tuning-service's blob door, byte for byte and with back-pressure. The
 * console keeps nothing of them and knows no ticket: the door judges it.
 */
export class TransferRelay {
  /** @param floor slowest upload; other than the default in tests only */
  constructor(
    private readonly door: BlobDoor,
    private readonly own: OwnOrigin,
    private readonly floor: { readonly bytesPerSecond: number; readonly windowMs: number } = FLOOR,
  ) {}

  /** True for the paths of transfers, whose requests must not be read by anybody else. */
  takes(url: string): boolean {
    return PATH.test(url);
  }

  /** Serves a request whose body has not been read. Never throws. */
  async serve(exchange: Exchange): Promise<void> {
    const { request, line } = exchange;
    const [, kind = '', ticket = ''] = PATH.exec(request.url ?? '') ?? [];
    line.note({ route: kind });
    try {
      this.#check(request, kind, ticket);
      const [address, trusted] = await Promise.all([this.door.address(), this.door.trusted()]);
      if (request.destroyed) return;
      await this.#relay(exchange, { url: new URL(`${address}/${kind}/${ticket}`), ...trusted }, KINDS[kind] as Kind);
    } catch (thrown) {
      refuse(exchange, thrown, kind);
    }
  }

  #check({ method = '', headers: { origin } }: IncomingMessage, kind: string, ticket: string): void {
    if (origin !== undefined && !this.own.owns(origin))
      throw new ServiceError('not_permitted', `Only pages of ${this.own.url} and programs may send this request.`);
    if (!TICKET.test(ticket) || KINDS[kind]?.methods.includes(method) !== true)
      throw new ServiceError(kind === 'uploads' ? 'upload_not_found' : 'not_found', 'There is nothing at this address, or it has expired.');
  }

  /** Resolves when the answer is complete or either side has gone. */
  #relay({ request, response }: Exchange, { url, ...trusted }: Target, kind: Kind): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { method: request.method ?? 'GET', headers: picked(request.headers, kind.asked) };
      const outward =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, ...trusted, agent: AGENTS.https })
          : requestHttp(url, { ...options, agent: AGENTS.http });
      const rate = new TransferRate(this.floor);
      const settle = (end: () => void): void => {
        clearInterval(watch);
        end();
      };
      const watch = setInterval(
        () => {
          if (!request.complete && rate.isBelow()) settle(() => (outward.destroy(), reject(tooSlow())));
        },
        Math.min(CHECK_EVERY_MS, this.floor.windowMs),
      ).unref();
      outward.once('response', (inward) => {
        // The door may answer before it has read everything, such as to a void ticket.
        if (!request.complete) dropBody(request);
        answer(response, inward, kind);
        inward.pipe(response);
        inward.once('error', () => response.destroy());
      });
      outward.on('error', (cause) => {
        // The door may close its side of the connection once it has answered.
        if (response.headersSent) return;
        this.door.forget();
        settle(() => reject(new ServiceError('unavailable', 'Data sets cannot be reached; try again soon.', { cause: codeOf(cause) })));
      });
      outward.once('timeout', () => outward.destroy(new Error('The blob door is silent.')));
      response.once('close', () => settle(() => (outward.destroy(), resolve())));
      pass(request, outward, rate);
    });
  }
}

/** Passes the body on, no faster than it is taken. */
function pass(request: IncomingMessage, outward: ClientRequest, rate: TransferRate): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) {
    outward.setTimeout(SILENT_MS);
    outward.end();
    return;
  }
  const onData = (piece: Buffer): void => {
    rate.note(piece.length);
    if (outward.write(piece)) return;
    rate.hold();
    request.pause();
  };
  outward.on('drain', () => {
    rate.release();
    request.resume();
  });
  request.on('data', onData);
  request.once('end', () => {
    outward.setTimeout(SILENT_MS);
    outward.end();
  });
  request.once('error', () => outward.destroy());
  outward.once('response', () => {
    if (!request.complete) request.off('data', onData);
  });
}

const picked = (headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

/** Begins the answer. A file is saved, never shown: browsers guess no type, and the policy of the console forbids its scripts. */
function answer(response: ServerResponse, inward: IncomingMessage, kind: Kind): void {
  const { statusCode = 502, headers } = inward;
  const disposition = headers['content-disposition'];
  const isFile = kind === KINDS['downloads'] && statusCode < 300;
  response.writeHead(statusCode, {
    ...picked(headers, kind.answered),
    ...(isFile && { 'content-disposition': disposition?.startsWith('attachment') === true ? disposition : 'attachment' }),
  });
}

const tooSlow = (): ServiceError => new ServiceError('request_timeout', 'The file arrives too slowly; continue with the upload later.');

/** Of an error of the connection, whose message may hold more than a log should. */
const codeOf = (cause: Error): Error => new Error(`The blob door failed: ${(cause as NodeJS.ErrnoException).code ?? 'silent'}.`);

/** Answers with an error where nothing was answered yet. */
function refuse({ request, response, line }: Exchange, thrown: unknown, kind: string): void {
  const error = isServiceError(thrown)
    ? thrown
    : new ServiceError('internal', 'The console failed; its log has the cause.', { cause: thrown });
  line.note({ error: error.code });
  if (error.cause !== undefined) line.cause(error.cause);
  dropBody(request);
  if (response.headersSent) return void response.destroy();
  const { status, retry } = ERRORS[error.code];
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retry === 'later' && { 'retry-after': String(error.retryAfterS ?? 2) }),
    ...(kind === 'uploads' && { 'tus-resumable': '1.0.0' }),
  });
  response.end(JSON.stringify({ error: { code: error.code, message: error.message } }));
  return undefined;
}
