import type { Msg } from '@slipway/platform';

const NO_RESPONDERS = 503;

/** True for the server's own message that nobody was subscribed to what was published. */
export const saysNobodyListens = (msg: Msg): boolean => msg.data.length === 0 && msg.headers?.code === NO_RESPONDERS;
