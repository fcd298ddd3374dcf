const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A connection that loses the messages currently named in `ears` (`changes`, `ticks`, `since`), and delays snapshot replies while
 * `snapshots` is set.
 */
export function deafConnection(nats, ears) {
  const lost = (subject) => (subject.endsWith('.chg') && ears.changes) || (subject.endsWith('.tick') && ears.ticks);
  const subscribe = nats.subscribe.bind(nats);
  const publish = nats.publish.bind(nats);
  /** Inboxes of pending snapshot requests. */
  const snapshots = new Set();
  const held = async (message, callback) => {
    while (snapshots.has(message.subject) && ears.snapshots) await pause(5);
    snapshots.delete(message.subject);
    callback(null, message);
  };
  const own = {
    subscribe: (subject, { callback, ...options }) =>
      subscribe(subject, {
        ...options,
        callback: (error, message) => {
          if (lost(subject)) return;
          if (!error && snapshots.has(message.subject)) void held(message, callback);
          else callback(error, message);
        },
      }),
    publish: (subject, payload, options) => {
      if (subject.includes('.rpc.since') && ears.since) return;
      if (subject.includes('.rpc.snapshot') && options?.reply) snapshots.add(options.reply);
      publish(subject, payload, options);
    },
  };
  // The same object, because other code identifies the connection by it.
  return Object.assign(nats, own);
}
