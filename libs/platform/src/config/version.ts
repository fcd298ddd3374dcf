import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** The release that this process belongs to: `version` in package.json of the repository's root, the only place that states it. */
export const SLIPWAY_VERSION: string = version;
