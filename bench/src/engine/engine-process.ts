import { createServer, type Socket } from 'node:net';
import { type AnswerScript, readScript } from './answer-script.js';
import { Histogram } from '../clients/histogram.js';
import { machineMicros } from './machine-clock.js';
import { Pacer } from './pacer.js';
import type { EngineReport } from '../messages.js';
import { writeToken } from './token-text.js';

/**
 * A deterministic inference server, as cheap as Node can be: raw sockets, prepared texts, one timer for all streams.
 * Each token carries its number and the moment at which it was due.
 */
const HEAD_END = Buffer.from('\r\n\r\n');
const STREAM = Buffer.from('"stream":true');
const CHUNK_HEAD = 'data: {"id":"chatcmpl-b","object":"chat.completion.chunk","created":1,"model":"bench","choices":[';
const CHUNK_TAIL = ',"logprobs":null,"finish_reason":null}]}\n\n';
const SSE_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';
const ROLE = `${CHUNK_HEAD}{"index":0,"delta":{"role":"assistant","content":""}${CHUNK_TAIL}`;
const FINISH = `${CHUNK_HEAD}{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n`;
const MODELS = '{"object":"list","data":[{"id":"bench","object":"model"}]}';

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const event = (content: string): string => `${CHUNK_HEAD}{"index":0,"delta":{"content":"${content}"}${CHUNK_TAIL}`;
const ending = (tokens: number): string =>
  `${FINISH}data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":${tokens},"total_tokens":${tokens + 9}}}\n\ndata: [DONE]\n\n`;
const json = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

const pacer = new Pacer();
let lag = new Histogram();
let requests = 0;

/** All tokens at once in one write; each is an HTTP chunk of its own, as engines write them. */
function answerAtOnce(socket: Socket, { tokens }: AnswerScript): void {
  const dueUs = machineMicros();
  let text = chunk(ROLE);
  for (let n = 0; n < tokens; n += 1) text += chunk(event(writeToken({ n, dueUs })));
  socket.write(`${SSE_HEAD}${text}${chunk(ending(tokens))}0\r\n\r\n`, 'latin1');
}

/** One write for each token; the first leaves at once. */
function answerPaced(socket: Socket, { tokens, gapMs }: AnswerScript): void {
  let n = 0;
  const firstUs = machineMicros();
  const write = (dueUs: number): boolean => {
    if (socket.destroyed) return false;
    lag.add((machineMicros() - dueUs) / 1_000);
    const text = event(writeToken({ n, dueUs }));
    n += 1;
    if (n === 1) socket.write(`${SSE_HEAD}${chunk(ROLE + text)}`, 'latin1');
    else if (n < tokens) socket.write(chunk(text), 'latin1');
    else socket.write(`${chunk(text)}${chunk(ending(tokens))}0\r\n\r\n`, 'latin1');
    return n < tokens;
  };
  if (write(firstUs)) pacer.add(firstUs + gapMs * 1_000, gapMs, write);
}

function answerDocument(socket: Socket, { tokens }: AnswerScript): void {
  const dueUs = machineMicros();
  let content = '';
  for (let n = 0; n < tokens; n += 1) content += writeToken({ n, dueUs });
  const usage = `{"prompt_tokens":9,"completion_tokens":${tokens},"total_tokens":${tokens + 9}}`;
  const choices = `[{"index":0,"message":{"role":"assistant","content":"${content}"},"logprobs":null,"finish_reason":"stop"}]`;
  socket.write(json(`{"id":"chatcmpl-b","object":"chat.completion","created":1,"model":"bench","choices":${choices},"usage":${usage}}`));
}

function answer(socket: Socket, head: string, body: Buffer): void {
  if (head.startsWith('GET ')) {
    if (/^GET \S*\/models /.test(head)) socket.write(json(MODELS));
    else if (head.startsWith('GET /health')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    else socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  const script = readScript(body);
  requests += 1;
  if (!script) socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
  else if (!body.includes(STREAM)) answerDocument(socket, script);
  else if (script.gapMs === 0) answerAtOnce(socket, script);
  else answerPaced(socket, script);
}

/** Reads requests from a connection; they come one at a time, and bodies have a length. */
function serve(socket: Socket): void {
  let parts: Buffer[] = [];
  let have = 0;
  let need = 0;
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    parts.push(bytes);
    have += bytes.length;
    if (have < need) return;
    const all = parts.length === 1 ? bytes : Buffer.concat(parts);
    const end = all.indexOf(HEAD_END);
    if (end < 0) return;
    const head = all.toString('latin1', 0, end);
    need = end + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (have < need) {
      parts = [all];
      return;
    }
    parts = [];
    have = 0;
    need = 0;
    answer(socket, head, all.subarray(end + HEAD_END.length));
  });
}

const server = createServer(serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.send?.({ port: address.port });
});
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', ({ id }: { id: number }) => {
  const report: EngineReport = { lag: lag.summary(), requests };
  lag = new Histogram();
  requests = 0;
  process.send?.({ ...report, id });
});
