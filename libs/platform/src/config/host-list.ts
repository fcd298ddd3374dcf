interface HostEntry {
  /** Host as in URLs; `.domain` = all hosts below a domain. */
  readonly name: string;
  /** Null: every port of the host. */
  readonly port: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Hosts that an operator allows: `host` or `*.domain` with all ports, `host:port` with one. Used for every list of hosts. */
export class HostList {
  readonly #entries: readonly HostEntry[];

  /** @throws TypeError naming the first invalid entry. */
  constructor(entries: readonly string[]) {
    this.#entries = entries.map(parseEntry);
  }

  allows(url: URL): boolean {
    const port = url.port || DEFAULT_PORTS[url.protocol];
    return this.#entries.some(
      (entry) =>
        (entry.port === null || entry.port === port) &&
        (entry.name.startsWith('.') ? url.hostname.endsWith(entry.name) : url.hostname === entry.name),
    );
  }
}

/** True when every entry is valid. */
export const isHostList = (entries: readonly string[]): boolean => entries.every((entry) => tryParseEntry(entry) !== null);

function parseEntry(entry: string): HostEntry {
  const parsed = tryParseEntry(entry);
  if (!parsed) throw new TypeError(`"${entry}" is neither host, host:port nor *.domain.`);
  return parsed;
}

function tryParseEntry(entry: string): HostEntry | null {
  const [, host = '', port = null] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (/[/?#@\s]/.test(entry) || !URL.canParse(`http://${host}`) || Number(port) > 65_535) return null;
  const { hostname } = new URL(`http://${host}`);
  return { name: hostname.startsWith('*.') ? hostname.slice(1) : hostname, port: port === null ? null : String(Number(port)) };
}
