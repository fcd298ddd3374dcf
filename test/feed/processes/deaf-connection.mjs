const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * A connection that loses what `ears` names at the moment: `changes`, `ticks`, `since` (the questions), and that holds
 * up the answers to snapshot questions while `snapshots` is set.
 */
export function deafConnection(nats, ears) {
  const lost = (subject) => (subject.endsWith('.chg') && ears.changes) || (subject.endsWith('.tick') && ears.ticks);
  const own = {
    subscribe: (subject, { callback, ...options }) =>
      nats.subscribe(subject, { ...options, callback: (error, message) => (lost(subject) ? undefined : callback(error, message)) }),
    request: async (subject, payload, options) => {
      if (subject.endsWith('.since') && ears.since) {
        await pause(options.timeout);
        throw new Error('timeout');
      }
      const reply = await nats.request(subject, payload, options);
      while (subject.endsWith('.snapshot') && ears.snapshots) await pause(5);
      return reply;
    },
  };
  return new Proxy(nats, {
    get: (target, name) => {
      const value = own[name] ?? target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
