import type { HostList } from '@slipway/platform';
import { DownloadError, noRoom } from './download-error.js';
import { ForbiddenHostError, guardedFetch } from './guarded-fetch.js';

/** Of files that it keeps elsewhere, a Hugging Face hub says here what they are. */
const LINKED_ETAG = 'x-linked-etag';
const SHA256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/i;

const SPLIT_PART = /-\d{5}-of-\d{5}\.gguf$/;

type Fetch = typeof globalThis.fetch;

export interface WebWatchOptions {
  readonly fetch: Fetch;
  readonly hosts: HostList;
  /** Entity tags of 64 hex digits are checksums, as on a Hugging Face hub. */
  readonly hub: boolean;
  /** Bytes that a file may have. */
  readonly maxFileBytes: number;
  /** Resolves when more may be read. */
  readonly ready: () => Promise<void>;
  /** What no repetition mends. */
  readonly fatal: (error: Error) => void;
}

/** What the servers' last word on one address was. */
interface Said {
  stamp: string | null;
  digest: string | null;
}

/** All requests of a download process: to allowed hosts only, and each answer as long and of the same file as announced. */
export class WebWatch {
  readonly #said = new Map<string, Said>();
  #heardAt = performance.now();
  #trouble: string | null = null;
  readonly #probes = new Set<Response>();
  #probing = true;

  constructor(private readonly options: WebWatchOptions) {}

  /** What each file was when it was first asked for, by its address; null where its server does not say. */
  get stamps(): ReadonlyMap<string, string | null> {
    return new Map([...this.#said].map(([address, { stamp }]) => [address, stamp]));
  }

  /** Time since the last byte, in milliseconds. */
  get quietMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** Why the last request failed; null when it did not. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** SHA-256 of a file, or of a part of a split model, as its server says; null where it does not. */
  digestOf(name: string): string | null {
    // The library renames files, but keeps what tells the parts of a model apart.
    const part = SPLIT_PART.exec(name)?.[0] ?? '';
    return [...this.#said].find(([address]) => address.endsWith(part))?.[1].digest ?? null;
  }

  /** Every file that was asked for has a checksum. */
  get digestsKnown(): boolean {
    return this.#said.size > 0 && [...this.#said.values()].every(({ digest }) => digest !== null);
  }

  /** From here on bodies are read: the questions that only asked what there is need no answer any more. */
  async reading(): Promise<void> {
    this.#probing = false;
    this.#heardAt = performance.now();
    const probes = [...this.#probes];
    this.#probes.clear();
    // The library has read some of them.
    await Promise.all(probes.map(async (probe) => probe.body?.cancel().catch(() => undefined)));
  }

  readonly fetch: Fetch = async (input, init) => {
    const asked = new Request(input, init);
    try {
      return await this.#ask(asked);
    } catch (error) {
      if (error instanceof ForbiddenHostError || error instanceof DownloadError) this.options.fatal(error);
      if (!asked.signal.aborted) this.#trouble = describeNetworkFault(error);
      throw error;
    }
  };

  async #ask(asked: Request): Promise<Response> {
    const { fetch, hosts } = this.options;
    // A compressed answer has neither the length nor the ranges of the file.
    asked.headers.set('accept-encoding', 'identity');
    const linked: string[] = [];
    const note = (headers: Headers): void => void linked.push(headers.get(LINKED_ETAG) ?? '');
    const response = await guardedFetch(fetch, hosts, note)(asked);
    note(response.headers);
    this.#trouble = response.ok ? null : `HTTP ${response.status}`;
    if (!response.ok) return response;
    this.#heardAt = performance.now();
    const range = readRange(response.headers.get('content-range'));
    assertRange(asked.headers.get('range'), range);
    // A hub's list of files is no file.
    if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) this.#note(asked.url, response, range, linked);
    return this.#metered(asked.url, response, range);
  }

  #note(url: string, response: Response, range: Range | null, linked: readonly string[]): void {
    const size = Number(range?.size ?? response.headers.get('content-length') ?? 0);
    // The library would prepare its lists for a file of any size first.
    if (size > this.options.maxFileBytes) throw noRoom(size, this.options.maxFileBytes);
    const { origin, pathname } = new URL(url);
    const address = origin + pathname;
    const said = this.#whatIsSaid(response, range, linked);
    const before = this.#said.get(address);
    if (!before) this.#said.set(address, said);
    else if (before.stamp !== null && said.stamp !== null && before.stamp !== said.stamp) {
      throw new DownloadError('The file changed on its server while it was being downloaded.', { left: 'nothing' });
    }
  }

  #whatIsSaid({ headers }: Response, range: Range | null, linked: readonly string[]): Said {
    const tags = this.options.hub ? [...linked, headers.get('etag') ?? ''] : linked;
    const digest = tags.map((tag) => SHA256.exec(tag)?.[1]?.toLowerCase()).find((found) => found !== undefined) ?? null;
    const size = range?.size ?? headers.get('content-length') ?? '';
    const tag = digest ?? headers.get('etag') ?? headers.get('last-modified');
    return { digest, stamp: tag === null ? null : `${tag} ${size}` };
  }

  /** The same answer, which fails unless it brings exactly what it announced, and names the address that was asked. */
  #metered(url: string, response: Response, range: Range | null): Response {
    const announced = range ? range.end - range.start + 1 : readLength(response.headers);
    const read = response.body?.pipeThrough(this.#meter(announced)) ?? null;
    const metered = new Response(read, { status: response.status, statusText: response.statusText, headers: response.headers });
    // Signed addresses behind redirects end after a while, so the library shall come back to the first one.
    Object.defineProperty(metered, 'url', { value: url });
    if (this.#probing) this.#probes.add(metered);
    return metered;
  }

  #meter(announced: number | null): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0;
    return new TransformStream({
      transform: async (chunk, controller) => {
        bytes += chunk.byteLength;
        this.#heardAt = performance.now();
        if (announced !== null && bytes > announced) throw new TypeError('The answer is longer than announced.');
        await this.options.ready();
        controller.enqueue(chunk);
      },
      flush: () => {
        if (announced !== null && bytes < announced) throw new TypeError('The answer is shorter than announced.');
      },
    });
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly size: string;
}

function readRange(header: string | null): Range | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(header ?? '');
  return match?.[3] === undefined ? null : { start: Number(match[1]), end: Number(match[2]), size: match[3] };
}

const readLength = (headers: Headers): number | null => {
  const length = headers.get('content-length');
  return length === null ? null : Number(length);
};

/** A part from another place would be written where it does not belong. */
function assertRange(asked: string | null, got: Range | null): void {
  if (asked === null || (got !== null && asked === `bytes=${got.start}-${got.end}`)) return;
  throw new DownloadError('The server says that it can send parts of a file, and then does not send the part that it is asked for.');
}

function describeNetworkFault(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
