import { lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ServiceError } from '@slipway/contracts';
import { type BudgetShare, type HostList, SharedBudget, withinTime } from '@slipway/platform';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress } from './socket-gate.js';

const MIB = 1024 * 1024;

/** Bytes of fetched images that are held at once; in a body each takes a third more. */
interface ImageRoomBounds {
  readonly perRequest: number;
  readonly perAccount: number;
  readonly inAll: number;
}

/** A request may have about as much fetched for it as it may carry itself. */
const BOUNDS: ImageRoomBounds = { perRequest: 32 * MIB, perAccount: 64 * MIB, inAll: 128 * MIB };

/** Room for images that are fetched for requests, shared among accounts. */
export class ImageRoom {
  readonly #budget: SharedBudget;

  constructor(private readonly bounds = BOUNDS) {
    this.#budget = new SharedBudget(bounds.inAll);
  }

  /** @param account the account that asks; null = none */
  open(account: number | null): ImageHold {
    const { perRequest, perAccount: max } = this.bounds;
    return new ImageHold(this.#budget, { owner: `account:${account ?? 'none'}`, max }, perRequest);
  }
}

/** What one request holds. */
export class ImageHold {
  #bytes = 0;

  constructor(
    private readonly budget: SharedBudget,
    private readonly share: BudgetShare,
    private readonly max: number,
  ) {}

  /** @throws ServiceError `request_too_large` beyond what one request may have, `overloaded` while others hold too much. */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.max) {
      const message = `The images that this request names by address are larger than ${this.max} bytes together.`;
      throw new ServiceError('request_too_large', message, { param: 'messages' });
    }
    if (!this.budget.take(bytes, [this.share])) {
      throw new ServiceError('overloaded', 'Too many images are being fetched at once; try again soon.', { retryAfterS: 2 });
    }
    this.#bytes += bytes;
  }

  /** Gives everything back. Repeating it is harmless. */
  release(): void {
    this.budget.giveBack(this.#bytes, [this.share]);
    this.#bytes = 0;
  }
}

/** Bounds of one image. */
export interface ImageLimits {
  readonly bytes: number;
  /** From the first look-up to the last byte, redirects included, in milliseconds. */
  readonly timeMs: number;
  readonly redirects: number;
}

export interface ImageFetcherOptions {
  /** Hosts that the operator allows. */
  readonly hosts: HostList;
  readonly limits?: Partial<ImageLimits>;
  /** Addresses that may be connected to; by default those of the internet. */
  readonly mayConnect?: (address: string) => boolean;
  /** Certificates to trust beside those of the system. */
  readonly ca?: string;
}

const LIMITS: ImageLimits = { bytes: 10 * 1024 * 1024, timeMs: 10_000, redirects: 3 };
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const refuse = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('unsupported_content', message, { param: 'messages', cause });

const SIGNATURES: readonly (readonly [mime: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'],
];

/**
 * Fetches images for engines, which never see an address: over https, from hosts that the operator allows, at addresses
 * of the internet alone. A name is resolved once for each connection, and what is checked is what is connected to.
 */
export class ImageFetcher {
  readonly #agent: Agent;
  readonly #limits: ImageLimits;

  constructor(private readonly options: ImageFetcherOptions) {
    this.#limits = { ...LIMITS, ...options.limits };
    const { ca, mayConnect = isPublicAddress } = options;
    this.#agent = new Agent({
      connections: 4,
      pipelining: 1,
      keepAliveTimeout: 1_000,
      connect: { timeout: 5_000, lookup: guardedLookup(mayConnect), ...(ca !== undefined && { ca }) },
    });
  }

  /**
   * The image as a `data:` URL.
   * @param taken called with the number of bytes that arrive, before they are kept; its error ends the fetch
   * @throws ServiceError `unsupported_content` when it may not be fetched, cannot be, or is none; never with its address.
   */
  async fetch(address: string, signal: AbortSignal, taken: (bytes: number) => void = () => undefined): Promise<string> {
    try {
      return await withinTime(signal, this.#limits.timeMs, (limited) => this.#follow(new URL(address), limited, taken));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      throw refuse('An image of the request cannot be fetched; send it as a data: URL.', error);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #follow(first: URL, signal: AbortSignal, taken: (bytes: number) => void): Promise<string> {
    let url = first;
    for (let hop = 0; hop <= this.#limits.redirects; hop += 1) {
      this.#permit(url);
      const { statusCode, headers, body } = await this.#agent.request({
        method: 'GET',
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        headers: { accept: 'image/png,image/jpeg,image/webp,image/gif' },
        signal,
      });
      if (!REDIRECTS.has(statusCode)) return this.#read(statusCode, body, taken);
      body.on('error', () => undefined).destroy();
      const location = headers['location'];
      if (typeof location !== 'string') throw refuse('An image of the request redirects to nowhere.');
      url = new URL(location, url);
    }
    throw refuse('An image of the request redirects too often.');
  }

  #permit(url: URL): void {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const { hosts, mayConnect = isPublicAddress } = this.options;
    // Addresses are never looked up, so they are checked here.
    const open = isIP(host) === 0 || mayConnect(host);
    if (url.protocol === 'https:' && hosts.allows(url) && open) return;
    throw refuse('An image of the request lies, or redirects, where images may not be fetched from; send it as a data: URL.');
  }

  async #read(status: number, body: Dispatcher.ResponseData['body'], taken: (bytes: number) => void): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      taken((chunk as Buffer).length);
      chunks.push(chunk as Buffer);
      if (bytes > this.#limits.bytes) throw refuse(`An image of the request is larger than ${this.#limits.bytes} bytes.`);
    }
    const image = Buffer.concat(chunks);
    // What the server calls it is not believed: these bytes go into an engine's decoder.
    const mime = status === 200 ? SIGNATURES.find(([, matches]) => matches(image))?.[0] : undefined;
    if (mime === undefined) throw refuse('An image of the request is not there, or is no PNG, JPEG, WebP or GIF.');
    return `data:${mime};base64,${image.toString('base64')}`;
  }
}

/** Resolves a name, and refuses it when any of its addresses may not be connected to: half a lie is one. */
function guardedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return callback(error ?? new Error('The name has no address.'), '');
      if (!addresses.every(({ address }) => mayConnect(address))) return callback(new Error('The name leads inside.'), '');
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
