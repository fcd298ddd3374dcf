#!/usr/bin/env node
// What the engine uses of llama-server, and its faults: the model file is JSON that names the one to commit.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const args = process.argv.slice(2);
const after = (name) => args[args.lastIndexOf(name) + 1];
const model = readFileSync(after('--model'), 'utf8');
const { fault = null, notes = null } = model.startsWith('{') ? JSON.parse(model) : {};
const key = process.env.LLAMA_API_KEY;
const WORDS = 40;

/** What a model that cannot be loaded prints, and the exit code. */
const REFUSALS = {
  invalid:
    '0.00.007 E llama_model_load: error loading model: failed to load model\n0.00.008 E srv  llama_server: exiting due to model loading error\n',
  memory:
    '0.00.007 E ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 9\n0.00.008 E cmn common_init_: failed to load model\n',
  argument: 'error: invalid argument: --nonsense\n',
  unknown: '0.00.007 E srv: something else\n',
};

if (notes) writeFileSync(notes, JSON.stringify({ pid: process.pid, ppid: process.ppid, args, environment: process.env }));
if (fault === 'stubborn') process.on('SIGTERM', () => undefined);
if (fault in REFUSALS) {
  process.stderr.write(REFUSALS[fault]);
  process.exit(1);
}
if (fault === 'killed while loading') process.kill(process.pid, 'SIGKILL');

const hang = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
const send = (response, body, status = 200) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const context = Number(after('--ctx-size')) / Number(after('--parallel'));

async function answer(request, response) {
  const body = [];
  for await (const piece of request) body.push(piece);
  const { messages, max_tokens: limit = WORDS } = JSON.parse(Buffer.concat(body).toString());
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (fields) => response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...fields })}\n\n`);
  for (let word = 0; word < limit; word += 1) {
    chunk({ choices: [{ index: 0, delta: { content: `w${word} ` }, finish_reason: null }] });
    if (fault === 'silence' && word === 3) setImmediate(hang);
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (fault === 'crash' && word === 3) {
      process.stderr.write(`the prompt was ${JSON.stringify(messages)}\nggml.c:1: GGML_ASSERT(false) failed\n`);
      process.kill(process.pid, 'SIGSEGV');
      await new Promise(() => undefined);
    }
  }
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: limit } });
  response.end('data: [DONE]\n\n');
}

async function embed(request, response) {
  const body = [];
  for await (const piece of request) body.push(piece);
  const { input } = JSON.parse(Buffer.concat(body).toString());
  const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }));
  send(response, { data, usage: { prompt_tokens: input.length } });
}

let isLoading = true;
setTimeout(() => (isLoading = false), 150);
createServer((request, response) => {
  if (request.url === '/health') return send(response, {}, isLoading ? 503 : 200);
  if (request.headers.authorization !== `Bearer ${key}`) return send(response, { error: { message: 'Invalid API Key' } }, 401);
  if (request.url === '/v1/models') {
    return send(response, { data: [{ id: after('--alias'), owned_by: 'llamacpp', meta: { n_ctx: context } }] });
  }
  if (request.url === '/props') return send(response, { modalities: { vision: false } });
  if (request.url === '/v1/chat/completions' && args.includes('--embedding')) return send(response, { error: { code: 501 } }, 501);
  if (request.url === '/v1/embeddings' && args.includes('--embedding')) return void embed(request, response);
  if (request.url === '/v1/chat/completions') return void answer(request, response);
  if (request.url.endsWith('/input_tokens')) return send(response, { input_tokens: 3 });
  return send(response, {}, 404);
}).listen(after('--host'));
