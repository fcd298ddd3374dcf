import type { Logger, Msg } from '@slipway/platform';

/** A subscription callback that never throws: an exception there would end the reading of the whole connection. */
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
