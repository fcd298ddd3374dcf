const encoder = new TextEncoder();

/**
 * A connection that loses every n-th data frame and every replay request. With `hide`, it renumbers all later frames, like a
 * transport without sequence numbers.
 */
export function lossyConnection(nats, { every, hide }) {
  let seen = 0;
  const lost = new Map();
  const deform = (msg) => {
    const frame = msg.data.length > 0 ? msg.json() : {};
    if (frame.k === 'd' && ++seen % every === 0) {
      lost.set(msg.subject, (lost.get(msg.subject) ?? 0) + frame.e.length);
      return null;
    }
    const missing = lost.get(msg.subject) ?? 0;
    if (!hide || missing === 0 || frame.q === undefined) return msg;
    const text = JSON.stringify({ ...frame, q: frame.q - missing });
    return { subject: msg.subject, reply: msg.reply, headers: msg.headers, data: encoder.encode(text), string: () => text };
  };
  const subscribe = (subject, { callback, ...options }) =>
    nats.subscribe(subject, {
      ...options,
      callback: (err, msg) => {
        const kept = err ? msg : deform(msg);
        if (kept) callback(err, kept);
      },
    });
  const publish = (subject, payload, options) => {
    if (!String(payload).includes('"k":"replay"')) nats.publish(subject, payload, options);
  };
  const own = { subscribe, publish };
  return new Proxy(nats, {
    get: (target, name) => {
      const value = own[name] ?? target[name];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
