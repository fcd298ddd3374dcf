import { webcrypto } from 'node:crypto';
import { type Incarnation, MAX_START_BYTES, PROTOCOL, type Start, START_HEADERS, START_PART_BYTES } from '@slipway/contracts';
import { headers, type MsgHdrs } from '@slipway/platform';
import type { Abortable, StreamRequest } from '../types.js';
import type { Link, Publisher } from '../wire/link.js';
import type { Subjects } from '../wire/subjects.js';

/** Parts sent between two flushes, so that the connection's buffer stays bounded. */
const PARTS_PER_FLUSH = 4;

export interface StartTarget {
  readonly wk: Incarnation;
  readonly at: number;
  /** Frame subject. */
  readonly reply: string;
  /** Time left to the first event. */
  readonly deadlineMs: number;
  /** Ends the upload when its attempt ends. */
  readonly upload: Abortable;
}

/** `uploading` = sent in parts; `done` resolves with whether the server took all of them. */
export type StartSent =
  | { readonly kind: 'sent' | 'too_large' | 'failed' }
  | { readonly kind: 'uploading'; readonly done: Promise<boolean> };

export interface StartPublisherOptions {
  readonly subjects: Subjects;
  readonly small: Publisher;
  /** A second connection, so that a large start delays no tokens. */
  readonly bulk: Publisher;
  readonly bulkLink: Link;
  /** Uploads at once. */
  readonly uploads: number;
}

/** Sends starts to workers: in one message, or in parts where they are large. */
export class StartPublisher {
  #uploading = 0;
  #waiting: (() => void)[] = [];

  readonly #options: StartPublisherOptions;

  constructor(options: StartPublisherOptions) {
    this.#options = options;
  }

  send(request: StreamRequest, target: StartTarget): StartSent {
    const body = encode(request, target.at);
    if (body.length > MAX_START_BYTES) return { kind: 'too_large' };
    if (body.length > this.#options.small.limit) return { kind: 'uploading', done: this.#upload(request, target, body) };
    const sent = this.#options.small.send(this.#options.subjects.starts(target.wk), body, {
      reply: target.reply,
      headers: startHeaders(request, target),
    });
    return { kind: sent ? 'sent' : 'failed' };
  }

  async #upload(request: StreamRequest, target: StartTarget, body: Uint8Array): Promise<boolean> {
    await this.#acquire();
    try {
      await this.#options.bulkLink.whenUp(target.upload);
      return await this.#sendParts(request, target, body);
    } finally {
      this.#uploading -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #sendParts(request: StreamRequest, target: StartTarget, body: Uint8Array): Promise<boolean> {
    const { bulk, subjects } = this.#options;
    const size = Math.min(START_PART_BYTES, bulk.limit);
    const count = Math.ceil(body.length / size);
    const digest = await digestOf(body);
    for (let i = 0; i < count; i += 1) {
      if (target.upload.signal.aborted) return false;
      const fields = startHeaders(request, target);
      fields.set(START_HEADERS.part, `${i}/${count}`);
      if (i === 0) fields.set(START_HEADERS.digest, digest);
      const part = body.subarray(i * size, (i + 1) * size);
      if (!bulk.send(subjects.starts(target.wk), part, { reply: target.reply, headers: fields })) return false;
      if ((i + 1) % PARTS_PER_FLUSH === 0 && !(await bulk.flush())) return false;
    }
    return bulk.flush();
  }

  async #acquire(): Promise<void> {
    while (this.#uploading >= this.#options.uploads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#uploading += 1;
  }
}

function encode(request: StreamRequest, at: number): Uint8Array {
  const { st, dep, rev, api, req, whole = false } = request;
  // The request comes last: a worker decides by the fields before it. Workers of release 0.1 require `caps`.
  const head: Omit<Start, 'req'> = whole
    ? { st, at, dep, rev, api, batch: true, whole, caps: [] }
    : { st, at, dep, rev, api, batch: true, caps: [] };
  const opened = `${JSON.stringify(head).slice(0, -1)},"req":`;
  if (req instanceof Uint8Array) return Buffer.concat([Buffer.from(opened), req, CLOSING]);
  if (isPieces(req)) return Buffer.concat([Buffer.from(opened), ...req, CLOSING]);
  return Buffer.from(`${opened}${JSON.stringify(req)}}`);
}

const isPieces = (req: StreamRequest['req']): req is readonly Uint8Array[] => Array.isArray(req);

const CLOSING = Buffer.from('}');

/** In libuv's thread pool: hashing megabytes takes milliseconds, in which the event loop would relay no token. */
const digestOf = async (body: Uint8Array): Promise<string> => Buffer.from(await webcrypto.subtle.digest('SHA-256', body)).toString('hex');

/** `set` would look for an earlier value of each first. */
function startHeaders(request: StreamRequest, target: StartTarget): MsgHdrs {
  const fields = headers();
  fields.append(START_HEADERS.protocol, PROTOCOL);
  fields.append(START_HEADERS.deadline, String(Math.max(0, Math.round(target.deadlineMs))));
  fields.append(START_HEADERS.account, String(request.account));
  fields.append(START_HEADERS.key, String(request.key));
  if (request.claim !== undefined) fields.append(START_HEADERS.claim, request.claim);
  if (request.trace !== undefined) fields.append('traceparent', request.trace.traceparent);
  if (request.trace?.tracestate !== undefined) fields.append('tracestate', request.trace.tracestate);
  return fields;
}
