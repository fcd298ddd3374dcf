const encoder = new TextEncoder();

/**
 * A connection that loses every n-th data frame, alone or among others in a message, and every replay request. With `hide`, it
 * renumbers all later frames, like a transport without sequence numbers.
 */
export function lossyConnection(nats, { every, hide }) {
  let seen = 0;
  const lost = new Map();
  /** @returns the frame as it arrives; null when it is lost */
  const deformFrame = (stream, frame) => {
    const missing = lost.get(stream) ?? 0;
    if (frame.k === 'd' && ++seen % every === 0) {
      lost.set(stream, missing + frame.e.length);
      return null;
    }
    return hide && missing > 0 && frame.q !== undefined ? { ...frame, q: frame.q - missing } : frame;
  };
  const deformBatch = (batch) => {
    const f = batch.f.flatMap(([st, at, frame]) => {
      const arrives = deformFrame(`${st}.${at}`, frame);
      return arrives ? [[st, at, arrives]] : [];
    });
    return f.length > 0 ? { ...batch, f } : null;
  };
  const deform = (msg) => {
    if (msg.data.length === 0) return msg;
    const sent = msg.json();
    const arrives = sent.k === 'batch' ? deformBatch(sent) : deformFrame(msg.subject.split('.').slice(-2).join('.'), sent);
    if (arrives === null || arrives === sent) return arrives && msg;
    const text = JSON.stringify(arrives);
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
