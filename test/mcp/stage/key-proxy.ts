import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';

/** Adds a key to every request and changes nothing else: for programs that take no header. On this machine alone. */
export class KeyProxy {
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param target gives the address behind it and the key; asked for each request, as the target may start later */
  static async start(target: () => { url: string; key: string }): Promise<KeyProxy> {
    const server = createServer((incoming, outgoing) => {
      const { url, key } = target();
      const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
      const onward = request(new URL(incoming.url ?? '/', url), { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new KeyProxy(server, (server.address() as { port: number }).port);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
