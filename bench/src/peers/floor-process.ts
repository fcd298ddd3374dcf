import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { connectNats, createLogger, type NatsConnection } from '@slipway/platform';
import { Pool } from 'undici';

/** Bytes of a piece's head: the request's number and the length of what follows, each of 32 bits. */
const HEAD = 8;
/** Pause before pieces leave while streams run, in milliseconds, as workers of Slipway wait for company. */
const COMPANY_MS = 2;
/** From so many streams. */
const COMPANY_FROM = 16;
const START = 'floor.start';
const PIECES = 'floor.pieces';

const connect = (port: string): Promise<NatsConnection> =>
  connectNats({ url: `nats://127.0.0.1:${port}`, role: 'ops', name: 'floor', log: createLogger('floor', 'silent') });

/** Takes requests, and writes the pieces of their answers. */
async function front(natsPort: string, port: string): Promise<void> {
  const nats = await connect(natsPort);
  const open = new Map<number, ServerResponse>();
  let requests = 0;
  nats.subscribe(PIECES, { callback: (_, { data }) => writePieces(Buffer.from(data.buffer, data.byteOffset, data.length), open) });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [Buffer.alloc(4)];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests = (requests + 1) >>> 0;
      parts[0]?.writeUInt32LE(requests);
      open.set(requests, response);
      nats.publish(START, Buffer.concat(parts));
    });
  });
  server.listen({ port: Number(port), host: '127.0.0.1', backlog: 4_096 });
}

function writePieces(message: Buffer, open: Map<number, ServerResponse>): void {
  for (let at = 0; at < message.length;) {
    const id = message.readUInt32LE(at);
    const end = at + HEAD + message.readUInt32LE(at + 4);
    const piece = message.subarray(at + HEAD, end);
    at = end;
    const response = open.get(id);
    if (!response) continue;
    if (piece.length === 0) {
      open.delete(id);
      response.end();
      continue;
    }
    const isDocument = piece[0] === 0x7b;
    if (!response.headersSent) response.writeHead(200, { 'content-type': isDocument ? 'application/json' : 'text/event-stream' });
    response.write(piece);
  }
}

/** Asks the engine, and sends what it answers. */
async function worker(natsPort: string, enginePort: string): Promise<void> {
  const nats = await connect(natsPort);
  const engine = new Pool(`http://127.0.0.1:${enginePort}`, { connections: 1_024, headersTimeout: 0, bodyTimeout: 0 });
  let running = 0;
  let waiting: Buffer[] = [];
  const leave = (): void => {
    nats.publish(PIECES, Buffer.concat(waiting));
    waiting = [];
  };
  const put = (id: number, piece: Buffer): void => {
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32LE(id);
    head.writeUInt32LE(piece.length, 4);
    if (waiting.push(head, piece) > 2) return;
    if (running >= COMPANY_FROM) setTimeout(leave, COMPANY_MS);
    else setImmediate(leave);
  };
  nats.subscribe(START, {
    callback: (_, { data }) => {
      const message = Buffer.from(data.buffer, data.byteOffset, data.length);
      const id = message.readUInt32LE(0);
      running += 1;
      const end = (): void => {
        running -= 1;
        put(id, Buffer.alloc(0));
      };
      const headers = { 'content-type': 'application/json' };
      engine.dispatch(
        { method: 'POST', path: '/v1/chat/completions', headers, body: Buffer.from(message.subarray(4)) },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: (_controller, piece) => put(id, piece),
          onResponseEnd: end,
          onResponseError: end,
        },
      );
    },
  });
  await nats.flush();
  process.send?.('ready');
}

/** Starts all three, which end with this process. */
function main(natsServer: string, natsPort: string, enginePort: string, port: string): void {
  const args = ['-a', '127.0.0.1', '-p', natsPort];
  const children: ChildProcess[] = [spawn(natsServer, args, { stdio: 'ignore', env: { GOMAXPROCS: '1' } })];
  const own = fileURLToPath(import.meta.url);
  const asked = fork(own, ['worker', natsPort, enginePort], { execArgv: [] });
  children.push(asked);
  // A request that no worker hears would never be answered.
  asked.once('message', () => children.push(fork(own, ['front', natsPort, port], { execArgv: [] })));
  process.once('SIGTERM', () => {
    for (const child of children) child.kill('SIGKILL');
    process.exit(0);
  });
}

const [role = '', ...words] = process.argv.slice(2);
const [first = '', second = ''] = words;
if (role === 'front') await front(first, second);
else if (role === 'worker') await worker(first, second);
else main(role, first, second, words[2] ?? '');
