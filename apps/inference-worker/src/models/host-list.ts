/** Hosts that the operator allows: `host`, `host:port` or `*.domain`. An entry without a port allows every port. */
export class HostList {
  constructor(private readonly entries: readonly string[]) {}

  /** True when the URL's host is on the list. */
  allows(url: URL): boolean {
    const host = url.hostname.toLowerCase();
    const port = url.port === '' ? defaultPort(url) : url.port;
    return this.entries.some((entry) => {
      const { name, port: wanted } = splitEntry(entry.toLowerCase());
      if (wanted !== null && wanted !== port) return false;
      return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
    });
  }
}

const defaultPort = (url: URL): string => (url.protocol === 'https:' ? '443' : '80');

function splitEntry(entry: string): { name: string; port: string | null } {
  // The port follows the last colon, unless that colon belongs to an IPv6 address in brackets.
  const match = /^(.*?):(\d{1,5})$/.exec(entry);
  if (!match?.[1] || !match[2] || (entry.startsWith('[') && !match[1].endsWith(']'))) return { name: entry, port: null };
  return { name: match[1], port: match[2] };
}
