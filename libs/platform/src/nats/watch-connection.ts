import type { NatsConnection } from '@nats-io/transport-node';
import { eachSecond } from '../time/each-second.js';

/** Callbacks for the owner of a connection. */
export interface ConnectionEvents {
  disconnected?(): void;
  reconnected?(): void;
  /** The server shuts down in lame duck mode, and will close the connection within the time that it is configured with. */
  serverLeaves?(): void;
}

/** Calls back on every disconnect, reconnect and notice of a server that shuts down, until the connection is closed. */
export function watchConnection(nats: Pick<NatsConnection, 'status'>, events: ConnectionEvents): void {
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === 'disconnect') events.disconnected?.();
      if (status.type === 'reconnect') events.reconnected?.();
      if (status.type === 'ldm') events.serverLeaves?.();
    }
  })();
}

type PingedConnection = Pick<NatsConnection, 'flush' | 'stats' | 'status' | 'reconnect' | 'isClosed' | 'isDraining' | 'closed'>;

/**
 * Pings the server each second, with the other work of that second, and connects to another server when neither the answer nor a
 * message came before the next: within 2 s. That is sooner than 3 s, after which a silent service counts as absent. It replaces
 * the client's own pings, each of which wakes the process by itself.
 * @param left called before the connection is replaced
 */
export function leaveHungServer(nats: PingedConnection, left: () => void): void {
  let connected = true;
  /** Messages that had arrived when the unanswered ping was sent; null without one. */
  let seen: number | null = null;
  const answered = (): void => {
    seen = null;
  };
  watchConnection(nats, { disconnected: () => (connected = false), reconnected: () => (connected = true) });
  const isUp = (): boolean => connected && !nats.isClosed() && !nats.isDraining();
  const ping = (): void => {
    if (!isUp()) return;
    seen = nats.stats().inMsgs;
    nats.flush().then(answered, answered);
  };
  const judge = (): void => {
    if (seen === null || !isUp()) return;
    const { inMsgs } = nats.stats();
    if (inMsgs !== seen) {
      seen = inMsgs;
      return;
    }
    seen = null;
    left();
    // Rejects only after the connection was closed for good, which its owner handles.
    void nats.reconnect().catch(() => undefined);
  };
  // A ping is sent at once, together with what was published before it. After a stall of this process the answer may wait in the
  // socket, which is read before `setImmediate`.
  const end = eachSecond(() => (seen === null ? queueMicrotask(ping) : setImmediate(judge)));
  void nats.closed().then(end);
}
