import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of spans that reads what comes and keeps nothing. It tells its port first, then the bytes that came, when asked. */
let bytes = 0;
const server = createServer((request, response) => {
  request.on('data', (piece: Buffer) => (bytes += piece.length));
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', ({ id }: { id: number }) => process.send?.({ id, bytes }));
process.on('disconnect', () => process.exit());
