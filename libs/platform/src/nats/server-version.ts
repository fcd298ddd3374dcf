import { readFileSync } from 'node:fs';

// The file is shared with the scripts that fetch a server.
const { least, recommended } = JSON.parse(readFileSync(new URL('../../nats-server.json', import.meta.url), 'utf8')) as {
  least: string;
  recommended: string;
};

/**
 * The oldest nats-server that Slipway runs on. Its features were there in 2.9 (`{{name()}}` in scopes); 2.10.27 mends
 * CVE-2023-47090 and CVE-2025-30215, an authorization bypass in the JetStream API. Later advisories of 2026 (mended in 2.11.16,
 * 2.12.7 and 2.14.0) concern what `renderNatsConf` does not write: `no_auth_user`, leaf nodes, denials of queue groups.
 */
export const LEAST_NATS_SERVER = least;

/** The nats-server to run: it has all corrections, those that Slipway does not need included. */
export const RECOMMENDED_NATS_SERVER = recommended;

const numbersOf = (version: string): readonly number[] => version.split('-', 1)[0]?.split('.').map(Number) ?? [];

/** True for a server that is older than another version, the least one unless told otherwise; a pre-release counts as its release. */
export function isOlder(version: string, than = LEAST_NATS_SERVER): boolean {
  const wanted = numbersOf(than);
  const given = numbersOf(version);
  const place = wanted.findIndex((number, i) => number !== given[i]);
  return place >= 0 && (given[place] ?? 0) < (wanted[place] ?? 0);
}
