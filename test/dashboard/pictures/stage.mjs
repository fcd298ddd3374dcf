import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { freePort } from '../../../scripts/lib/ports.mjs';

const MODELS = ['qwen3-4b', 'qwen3-8b'];
const ANSWER = 'A deployment is a served model with a name of its own. Clients call it as they call any other.'.split(/(?= )/);

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: MODELS[0], choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

async function answer(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await sleep(40 + 120 * Math.random());
  response.write(chunk({ role: 'assistant', content: '' }));
  for (const content of ANSWER) {
    response.write(chunk({ content }));
    await sleep(8 + 16 * Math.random());
  }
  const usage = { prompt_tokens: 24, completion_tokens: ANSWER.length, total_tokens: 24 + ANSWER.length };
  response.end(`${chunk({}, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

/** An HTTP engine that speaks as vLLM does; every eleventh answer fails, as happens. */
async function startEngine() {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/v1/models') {
      const data = MODELS.map((id) => ({ id, object: 'model', owned_by: 'vllm', max_model_len: 32_768 }));
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
    }
    if (request.url !== '/v1/chat/completions') return response.writeHead(404).end();
    asked += 1;
    if (asked % 11 === 0)
      return response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{"message":"out of slots"}}');
    return void answer(response);
  });
  server.listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A whole Slipway on free ports and an empty folder, an HTTP engine beside it, and a browser. */
export class Stage {
  #browser;
  #engine;
  #folder;
  #slipway;
  /** What the launcher printed: base_url, key, console_url, setup_url. */
  ready;
  engineUrl;

  static async start(root, executablePath) {
    const stage = new Stage();
    try {
      stage.#engine = await startEngine();
      stage.engineUrl = `http://127.0.0.1:${stage.#engine.address().port}`;
      stage.#folder = await mkdtemp(join(tmpdir(), 'slipway-pictures-'));
      stage.ready = await stage.#startSlipway(root);
      const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      stage.#browser = await chromium.launch({ executablePath, args });
      return stage;
    } catch (error) {
      await stage.end();
      throw error;
    }
  }

  /** A page of a person who looks at the console. */
  async page(viewport = { width: 1280, height: 800 }) {
    const context = await this.#browser.newContext({ baseURL: this.ready.console_url, viewport, reducedMotion: 'reduce' });
    return context.newPage();
  }

  async end() {
    await this.#browser?.close();
    if (this.#slipway && this.#slipway.exitCode === null && this.#slipway.signalCode === null) {
      this.#slipway.kill('SIGTERM');
      await once(this.#slipway, 'exit');
    }
    this.#engine?.closeAllConnections();
    this.#engine?.close();
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #startSlipway(root) {
    const args = ['scripts/start.mjs', '--json', '--port', String(await freePort()), '--data-dir', this.#folder];
    const env = { ...process.env, ENGINE_HOSTS: '127.0.0.1' };
    this.#slipway = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env });
    const ended = once(this.#slipway, 'exit').then(([code]) => Promise.reject(new Error(`npm start ended with ${code}.`)));
    // Its end is a failure only before the first line; later, whoever uses it meets a closed door.
    ended.catch(() => undefined);
    const [line] = await Promise.race([once(createInterface({ input: this.#slipway.stdout }), 'line'), ended]);
    return JSON.parse(line);
  }
}
