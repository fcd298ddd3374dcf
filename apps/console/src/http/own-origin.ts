const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]', '::1'];

/** True for names of this machine. */
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host);

/** Where the console is opened: the pages whose requests are its own. */
export class OwnOrigin {
  readonly #accepted: ReadonlySet<string>;
  /** Names under which it is called, without a port. */
  readonly hostnames: readonly string[];
  /** Without a path. */
  readonly url: string;

  constructor({ baseUrl, host, port }: { baseUrl: string | undefined; host: string; port: number }) {
    const named = new URL(baseUrl ?? `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`);
    this.url = named.origin;
    this.hostnames = isLoopback(named.hostname) ? ['127.0.0.1', 'localhost', '[::1]'] : [named.hostname];
    this.#accepted = new Set(this.hostnames.map((name) => `${named.protocol}//${name}${named.port === '' ? '' : `:${named.port}`}`));
  }

  get isSecure(): boolean {
    return this.url.startsWith('https:');
  }

  /** True for the text of an Origin header that a page of the console sends. On this machine its names count as one. */
  owns(origin: string): boolean {
    return this.#accepted.has(origin);
  }
}
