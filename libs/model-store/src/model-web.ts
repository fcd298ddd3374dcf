import type { HostList } from '@slipway/platform';
import { DownloadError } from './download-error.js';
import { guardedFetch } from './guarded-fetch.js';

/** A Hugging Face hub names here the checksum of a file that it keeps elsewhere. */
const LINKED_ETAG = 'x-linked-etag';
const SHA256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/i;
/** Answers that may be different a moment later. */
const TRANSIENT = new Set([408, 425, 429]);
/** Servers that refuse HEAD, as signed addresses often do, are asked for the first byte. */
const HEAD_REFUSED = new Set([400, 403, 405, 501]);
const HIDDEN = new Set([401, 403, 404]);

type Fetch = typeof globalThis.fetch;

/** A status that a repetition does not change. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
}

/** What a server says of a file. */
export interface FileFacts {
  readonly bytes: number;
  /** Equal as long as the file stays the same; null where the server does not tell. */
  readonly stamp: string | null;
  /** SHA-256 in hex, where the server tells it. */
  readonly digest: string | null;
}

export interface ModelWebOptions {
  readonly fetch: Fetch;
  readonly hosts: HostList;
  /** Entity tags of 64 hex digits are checksums, as on a Hugging Face hub. */
  readonly hub: boolean;
  /** Credential for the hub, tried where it refuses a request without one; null = none. */
  readonly token: string | null;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly response: Response;
  readonly linked: readonly string[];
}

/** All requests of a download: to allowed hosts only, and each answer as long, and of the same file, as announced. */
export class ModelWeb {
  #heardAt = performance.now();
  #trouble: string | null = null;
  #tokenNeeded = false;

  constructor(private readonly options: ModelWebOptions) {}

  /** Time since the last byte, in milliseconds. */
  get quietMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** Why the last request failed; null when it did not. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** What the server says of a file. @throws DownloadError where it does not say how long the file is. */
  async probe(url: string): Promise<FileFacts> {
    let answer = await this.#ask(url, 'HEAD', {});
    if (HEAD_REFUSED.has(answer.response.status)) answer = await this.#ask(url, 'GET', { range: 'bytes=0-0' });
    await answer.response.body?.cancel();
    this.#assertOk(answer.response);
    this.heard();
    return this.#factsOf(answer);
  }

  /** A small JSON document. */
  async json(url: string): Promise<unknown> {
    // Without this name a hub leaves out which file a tag stands for.
    const { response } = await this.#ask(url, 'GET', { 'user-agent': 'llama-cpp' });
    this.#assertOk(response);
    this.heard();
    return response.json();
  }

  /**
   * The bytes of a file from `from` on; where the server sends no parts, all of them: `restarted` says so before the first.
   * @throws DownloadError when the file is another one than `facts` tell; TypeError when the answer breaks off.
   */
  async *read(url: string, from: number, facts: FileFacts, restarted: () => Promise<void>): AsyncGenerator<Uint8Array> {
    const answer = await this.#ask(url, 'GET', { range: `bytes=${from}-`, ...ifRange(from, facts) });
    const { response } = answer;
    this.#assertOk(response);
    this.#assertSame(this.#factsOf(answer), facts);
    const range = readRange(response.headers.get('content-range'));
    if (response.status === 206 && range?.start !== from) {
      throw new DownloadError('The server says that it can send parts of a file, and then does not send the part that it is asked for.');
    }
    if (response.status !== 206 && from > 0) await restarted();
    let left = response.status === 206 ? facts.bytes - from : facts.bytes;
    for await (const chunk of bytesOf(response)) {
      this.heard();
      left -= chunk.byteLength;
      if (left < 0) throw new TypeError('The answer is longer than announced.');
      yield chunk;
    }
    if (left > 0) throw new TypeError('The answer is shorter than announced.');
  }

  /** Data came, or was written. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Notes why a request failed. */
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
    const { fetch, hosts, signal, token } = this.options;
    const linked: string[] = [];
    const note = (of: Headers): void => void linked.push(of.get(LINKED_ETAG) ?? '');
    const credential = this.#tokenNeeded ? { authorization: `Bearer ${token}` } : {};
    // A compressed answer has neither the length nor the ranges of the file.
    const all = { ...headers, ...credential, 'accept-encoding': 'identity' };
    const response = await guardedFetch(fetch, hosts, note)(url, { method, headers: all, signal });
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
    const tags = this.options.hub ? [...linked, headers.get('etag') ?? ''] : linked;
    const digest = tags.map((tag) => SHA256.exec(tag)?.[1]?.toLowerCase()).find((found) => found !== undefined) ?? null;
    const tag = digest ?? headers.get('etag') ?? headers.get('last-modified');
    return { bytes, digest, stamp: tag === null ? null : `${tag} ${size}` };
  }

  #assertSame(now: FileFacts, before: FileFacts): void {
    const isOther = now.stamp !== null && before.stamp !== null && now.stamp !== before.stamp;
    if (!isOther && now.bytes === before.bytes) return;
    throw new DownloadError('The file changed on its server while it was being downloaded.', { left: 'nothing' });
  }
}

/** The body as the bytes that it is; Node's types leave it open. */
const bytesOf = ({ body }: Response): AsyncIterable<Uint8Array> | readonly Uint8Array[] => body ?? [];

/** Only what the server itself sent as a strong entity tag can be compared by it. */
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
