const SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/** An address that a link may lead to; null for scripts, data, files and everything that is no whole address. */
export function safeLink(href: string): string | null {
  try {
    const { protocol, href: whole } = new URL(href);
    return SCHEMES.has(protocol) ? whole : null;
  } catch {
    return null;
  }
}
