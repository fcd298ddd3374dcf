import { floor } from './floor.js';
import type { Peer } from './peer.js';
import { portkey } from './portkey.js';
import { sglangRouter } from './sglang-router.js';
import { tensorzero } from './tensorzero.js';

/** All that `--peer` takes. */
export const PEERS: readonly Peer[] = [sglangRouter, tensorzero, portkey, floor];
