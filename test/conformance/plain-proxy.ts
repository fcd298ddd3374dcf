import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that passes on everything as it is, as nginx does. */
export interface PlainProxy {
  readonly url: string;
  end(): Promise<void>;
}

/** @param enginePort where it passes requests on to, on this machine */
export async function startPlainProxy(enginePort: number): Promise<PlainProxy> {
  const server = createServer((incoming, outgoing) => relay(incoming, outgoing, enginePort));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    end: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function relay(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { url, method, headers } = incoming;
  const sent = request({ host: '127.0.0.1', port, path: url, method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  });
  sent.on('error', () => outgoing.writeHead(502).end());
  outgoing.on('close', () => sent.destroy());
  incoming.pipe(sent);
}
