import { BlockList, isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';

/** Networks that are not public, or lead to internal hosts (RFC 6890, and those of cloud providers). */
const CLOSED_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** The internet is 2000::/3; of it these lead elsewhere: Teredo, documentation, 6to4. */
const CLOSED_V6 = [
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const closed = new BlockList();
for (const [network, prefix] of CLOSED_V4) closed.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of CLOSED_V6) closed.addSubnet(network, prefix, 'ipv6');

const open6 = new BlockList();
open6.addSubnet('2000::', 3, 'ipv6');

/** True for an address on the internet; false for private, local, mapped and reserved ones, and for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && open6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** A socket that is not read at the moment. */
export interface HeldSocket {
  /** Lets it be read again, and reads at once what has arrived; from outside of undici's calls alone. */
  readOn(): void;
  /** Lets it be read again by whoever reads next. */
  release(): void;
}

/**
 * Sockets of an undici client that can be held while an answer is read from them. undici's own way, to pause its parser, ends
 * the process or hangs where the server closes the connection meanwhile (undici 7.30; its issue 5360 is mended in 8 alone,
 * which needs Node 22). A socket that is held seems to have no more bytes: its buffers fill, and the server waits.
 */
export class SocketGate {
  #reading: GatedSocket | null = null;

  /**
   * @param timeout for connecting, in milliseconds
   * @param socketPath of a Unix socket that is connected to instead of a host
   */
  connector(timeout: number, socketPath: string | undefined): buildConnector.connector {
    const connect = buildConnector({ timeout, ...(socketPath !== undefined && { socketPath }) });
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket) new GatedSocket(socket, (gated) => (this.#reading = gated));
        callback(...result);
      });
  }

  /** Holds the socket whose bytes undici hands on at the moment: it parses what it reads before it reads another one. */
  hold(): HeldSocket {
    if (!this.#reading) throw new Error('No socket of this client was read yet.');
    this.#reading.isHeld = true;
    return this.#reading;
  }
}

class GatedSocket implements HeldSocket {
  isHeld = false;

  constructor(
    private readonly socket: Socket,
    reads: (gated: GatedSocket) => void,
  ) {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      // Node itself asks for 0 bytes, to fill the buffer and learn of the end.
      if (this.isHeld && size !== 0) return null;
      reads(this);
      return read(size);
    };
  }

  readOn(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.emit('readable');
  }

  release(): void {
    this.isHeld = false;
  }
}
