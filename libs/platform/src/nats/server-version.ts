import { readFileSync } from 'node:fs';

// The file is shared with the scripts that fetch a server.
const { least, recommended } = JSON.parse(readFileSync(new URL('../../nats-server.json', import.meta.url), 'utf8')) as {
  least: string;
  recommended: string;
};

/**
 * The oldest supported nats-server. The features used exist since 2.9 (`{{name()}}` in scopes); 2.10.27 fixes CVE-2023-47090 and
 * CVE-2025-30215, an authorization bypass in the JetStream API. Later advisories of 2026 (fixed in 2.11.16, 2.12.7 and 2.14.0)
 * concern features that `renderNatsConf` does not use: `no_auth_user`, leaf nodes, denials of queue groups.
 */
export const LEAST_NATS_SERVER = least;

/** The recommended nats-server, with all fixes known today. */
export const RECOMMENDED_NATS_SERVER = recommended;

const numbersOf = (version: string): readonly number[] => version.split('-', 1)[0]?.split('.').map(Number) ?? [];

/** True when a version is older than another one, by default the oldest supported. A pre-release counts as its release. */
export function isOlder(version: string, than = LEAST_NATS_SERVER): boolean {
  const wanted = numbersOf(than);
  const given = numbersOf(version);
  const place = wanted.findIndex((number, i) => number !== given[i]);
  return place >= 0 && (given[place] ?? 0) < (wanted[place] ?? 0);
}
