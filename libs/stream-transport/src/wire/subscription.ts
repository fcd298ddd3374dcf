import type { Logger, Msg } from '@slipway/platform';

/** NATS status of a message that the server sends when a published subject has no subscriber. */
const NO_RESPONDERS = 503;

/** True for the server's "no responders" message (status 503, empty body). */
export const isNoResponders = (msg: Msg): boolean => msg.data.length === 0 && msg.headers?.code === NO_RESPONDERS;

/** A subscription callback that never throws: an exception in it would end the read loop of the whole connection. */
export const guardedCallback =
  (log: Pick<Logger, 'error'>, handle: (msg: Msg) => void): ((err: Error | null, msg: Msg) => void) =>
  (err, msg) => {
    if (err) {
      log.error({ err }, 'stream.subscription_failed');
      return;
    }
    try {
      handle(msg);
    } catch (cause) {
      log.error({ subject: msg.subject, err: cause }, 'stream.message_failed');
    }
  };
