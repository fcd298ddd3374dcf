import type { HostList } from '@slipway/platform';
import { DownloadError } from './download-error.js';
import { guardedFetch } from './guarded-fetch.js';

/** Header with the checksum of a file that a Hugging Face hub stores elsewhere. */
const LINKED_ETAG = 'x-linked-etag';
const SHA256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/i;
/** Client errors that a repetition may mend. */
const TRANSIENT = new Set([408, 425, 429]);
/** Statuses after which HEAD is replaced by a GET of one byte; signed URLs often refuse HEAD. */
const HEAD_REFUSED = new Set([400, 403, 405, 501]);
const HIDDEN = new Set([401, 403, 404]);

type Fetch = typeof globalThis.fetch;

/** A status that a repetition does not mend. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
}

/** What a server says about a file. */
export interface FileFacts {
  readonly bytes: number;
  /** Changes when the file changes; null where the server sends no validator. */
  readonly stamp: string | null;
  /** SHA-256 in hex; null where the server sends none. */
  readonly digest: string | null;
}

/** Where a download may go, and how it proves who it is. */
export interface ModelWebOptions {
  readonly fetch: Fetch;
  readonly hosts: HostList;
  /** The checksum of a file that another service serves for a ticket, at any host and over http; null = a file of the web. */
  readonly internal: { readonly digest: string } | null;
  /** Whether entity tags of 64 hex digits are checksums, as on a Hugging Face hub. */
  readonly hub: boolean;
  /** Credential for the hub, sent only after a refusal without it; null = none. */
  readonly token: string | null;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly response: Response;
  readonly linked: readonly string[];
}

/** All requests of a download. Only allowed hosts are asked, and each answer must have the announced length and file. */
export class ModelWeb {
  #progressedAt = performance.now();
  #trouble: string | null = null;
  #tokenNeeded = false;

  constructor(private readonly options: ModelWebOptions) {}

  /** Time since the last byte, in milliseconds. */
  get quietMs(): number {
    return performance.now() - this.#progressedAt;
  }

  /** Why the last request failed; null = it did not. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Asks for the length and version of a file. @throws DownloadError when the server sends no length. */
  async probe(url: string): Promise<FileFacts> {
    let answer = await this.#ask(url, 'HEAD', {});
    if (HEAD_REFUSED.has(answer.response.status)) answer = await this.#ask(url, 'GET', { range: 'bytes=0-0' });
    await answer.response.body?.cancel();
    this.#assertOk(answer.response);
    this.progressed();
    return this.#factsOf(answer);
  }

  /** Fetches a small JSON document. */
  async json(url: string): Promise<unknown> {
    // A hub names the file of a tag only to this user agent.
    const { response } = await this.#ask(url, 'GET', { 'user-agent': 'llama-cpp' });
    this.#assertOk(response);
    this.progressed();
    return response.json();
  }

  /**
   * Reads a file from offset `from`. If the server ignores ranges, it calls `restarted` and reads from the beginning.
   * @throws DownloadError when the file differs from `facts`; TypeError when the answer breaks off.
   */
  async *read(url: string, from: number, facts: FileFacts, restarted: () => Promise<void>): AsyncGenerator<Uint8Array> {
    const answer = await this.#ask(url, 'GET', { range: `bytes=${from}-`, ...ifRange(from, facts) });
    const { response } = answer;
    this.#assertOk(response);
    this.#assertSame(this.#factsOf(answer), facts);
    const range = readRange(response.headers.get('content-range'));
    if (response.status === 206 && range?.start !== from) {
      throw new DownloadError('The server accepts range requests, but sent another range than requested.');
    }
    if (response.status !== 206 && from > 0) await restarted();
    let left = response.status === 206 ? facts.bytes - from : facts.bytes;
    for await (const chunk of bytesOf(response)) {
      this.progressed();
      left -= chunk.byteLength;
      if (left < 0) throw new TypeError('The answer is longer than announced.');
      yield chunk;
    }
    if (left > 0) throw new TypeError('The answer is shorter than announced.');
  }

  /** Notes that data was received or written. */
  progressed(): void {
    this.#progressedAt = performance.now();
  }

  /** Records why a request failed. */
  failed(error: unknown): void {
    this.#trouble = describeNetworkFault(error);
  }

  async #ask(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
    const answer = await this.#send(url, method, headers);
    const { token, hub } = this.options;
    if (!hub || token === null || this.#tokenNeeded || !HIDDEN.has(answer.response.status)) return answer;
    await answer.response.body?.cancel();
    this.#tokenNeeded = true;
    return this.#send(url, method, headers);
  }

  async #send(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
    const { fetch, hosts, internal, signal, token } = this.options;
    const linked: string[] = [];
    const note = (of: Headers): void => void linked.push(of.get(LINKED_ETAG) ?? '');
    const credential = this.#tokenNeeded ? { authorization: `Bearer ${token}` } : {};
    // Length and ranges of a compressed answer are not those of the file.
    const all = { ...headers, ...credential, 'accept-encoding': 'identity' };
    // The service's own address leads nowhere else.
    const get = internal ? fetch : guardedFetch(fetch, hosts, { onRedirect: note });
    const response = await get(url, { method, headers: all, redirect: internal ? 'error' : 'follow', signal });
    note(response.headers);
    this.#trouble = response.ok ? null : `HTTP ${response.status}`;
    return { response, linked };
  }

  #assertOk({ ok, status }: Response): void {
    if (ok) return;
    if (status >= 500 || TRANSIENT.has(status)) throw new TypeError(`HTTP ${status}`);
    throw new HttpStatusError(`the server answers HTTP ${status}.`);
  }

  #factsOf({ response: { headers }, linked }: Answer): FileFacts {
    const size = readRange(headers.get('content-range'))?.size ?? headers.get('content-length') ?? '';
    const bytes = /^\d+$/.test(size) ? Number(size) : 0;
    if (bytes === 0) throw new DownloadError('The server does not say how long the file is.', { left: 'nothing' });
    return { bytes, ...this.#identityOf(headers, linked, size) };
  }

  #identityOf(headers: Headers, linked: readonly string[], size: string): Pick<FileFacts, 'digest' | 'stamp'> {
    const { internal } = this.options;
    if (internal) return { digest: internal.digest, stamp: internal.digest };
    const tags = this.options.hub ? [...linked, headers.get('etag') ?? ''] : linked;
    const digest = tags.map((tag) => SHA256.exec(tag)?.[1]?.toLowerCase()).find((found) => found !== undefined) ?? null;
    const tag = digest ?? headers.get('etag') ?? headers.get('last-modified');
    return { digest, stamp: tag === null ? null : `${tag} ${size}` };
  }

  #assertSame(now: FileFacts, before: FileFacts): void {
    const isOther = now.stamp !== null && before.stamp !== null && now.stamp !== before.stamp;
    if (!isOther && now.bytes === before.bytes) return;
    throw new DownloadError('The file changed on its server while it was being downloaded.', { left: 'nothing' });
  }
}

/** The body as bytes; Node's types do not say so. */
const bytesOf = ({ body }: Response): AsyncIterable<Uint8Array> | readonly Uint8Array[] => body ?? [];

/** `If-Range` accepts only a strong entity tag that the server itself sent. */
function ifRange(from: number, { digest, stamp }: FileFacts): Record<string, string> {
  const tag = from > 0 && digest === null ? /^"[^"]*"/.exec(stamp ?? '')?.[0] : undefined;
  return tag === undefined ? {} : { 'if-range': tag };
}

function readRange(header: string | null): { readonly start: number; readonly size: string } | null {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header ?? '');
  return match?.[2] === undefined ? null : { start: Number(match[1]), size: match[2] };
}

function describeNetworkFault(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
