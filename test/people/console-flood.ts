import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

const KIB = 1024;

/** Resident memory of a process, in MiB. */
export async function residentMib(pid: number): Promise<number> {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / KIB;
}

/** CPU time of a process, in hundredths of a second. */
export async function cpuTicks(pid: number): Promise<number> {
  const [, , ...fields] = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/\(.*\)/, '()').split(' ');
  const [user = '0', system = '0'] = fields.slice(11, 13);
  return Number(user) + Number(system);
}

export interface FloodOptions {
  readonly port: number;
  readonly connections: number;
  readonly path: string;
  /** Bytes that `content-length` states; one less is sent. */
  readonly bytes: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends each byte as an HTTP chunk, without `content-length`. */
  readonly isShredded?: boolean;
}

/** Connections that each send a request without its last byte, and wait. */
export class Flood {
  readonly #sockets: Socket[] = [];
  /** The last data that each connection received. */
  readonly statuses = new Map<string, number>();

  static async begin(options: FloodOptions): Promise<Flood> {
    const flood = new Flood();
    for (let begun = 0; begun < options.connections; begun += 50) {
      await Promise.all(Array.from({ length: Math.min(50, options.connections - begun) }, () => flood.#open(options)));
    }
    return flood;
  }

  /** Connections that the server has not closed. */
  get open(): number {
    return this.#sockets.filter((socket) => !socket.destroyed).length;
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open({ port, path, bytes, headers = {}, isShredded = false }: FloodOptions): Promise<void> {
    const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json', ...headers };
    const framing = isShredded ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(bytes) };
    const lines = Object.entries({ ...own, ...framing }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => {
        socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
        socket.write(isShredded ? '1\r\n \r\n'.repeat(bytes - 1) : ' '.repeat(bytes - 1), () => resolve());
      });
      socket.on('data', (answer: Buffer) => {
        const status = answer.toString('latin1').slice(9, 12);
        this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      });
      socket.on('error', () => undefined).on('close', () => resolve());
      this.#sockets.push(socket);
    });
  }
}
