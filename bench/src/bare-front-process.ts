import { createServer, type ServerResponse } from 'node:http';
import { connectNats, createLogger } from '@slipway/platform';

interface Question {
  readonly id: number;
  readonly natsUrl: string;
}

/**
 * The least that a gateway on Node and NATS can be: bodies go to one worker as they are, and what it answers goes to the
 * client as it is. No key, no check, nothing counted, nothing kept: what this costs, no gateway of this kind can save.
 */
async function serve({ id, natsUrl }: Question): Promise<void> {
  const nats = await connectNats({ url: natsUrl, role: 'gateway', name: 'bare-front', log: createLogger('bare-front', 'silent') });
  const open = new Map<string, ServerResponse>();
  let requests = 0;
  nats.subscribe('bare.r.*', {
    callback: (_error, message) => {
      const response = open.get(message.subject);
      if (!response) return;
      if (message.data.length === 0) {
        open.delete(message.subject);
        response.end();
        return;
      }
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(message.data);
    },
  });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const reply = `bare.r.${(requests += 1)}`;
      open.set(reply, response);
      nats.publish('bare.start', parts.length === 1 ? parts[0] : Buffer.concat(parts), { reply });
    });
  });
  server.keepAliveTimeout = 0;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    const address = server.address();
    if (typeof address === 'object' && address) process.send?.({ id, port: address.port });
  });
}

process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (question: Question) => void serve(question));
process.send?.({ ready: true });
