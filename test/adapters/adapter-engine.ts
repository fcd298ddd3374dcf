import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ServedAdapter, WitnessCheck } from '@slipway/contracts';

export type EngineFlavour = 'vllm' | 'sglang' | 'llama-server';

/** A model that the engine can be, base or adapter: what it says, and what it makes of stored answers. */
interface Voice {
  readonly says: string;
  readonly witness: readonly WitnessCheck[];
}

type Body = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, json: unknown];

const BASE = 'org/base';
const OWNERS: Readonly<Record<EngineFlavour, string>> = { vllm: 'vllm', sglang: 'sglang', 'llama-server': 'llamacpp' };
/** Log probability of a token that the model would not choose, and of the one that it would. */
const UNLIKELY = -4;
const LIKELY = -0.05;

const nameOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const isSame = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((token, i) => token === b[i]);

/** What vLLM says of an error. */
const vllmError = (status: number, type: string, message: string): Answer => [
  status,
  { error: { message, type, param: null, code: status } },
];

/**
 * An inference server with adapters, as vLLM, SGLang or llama-server answers: which adapter a folder holds is read from its weights,
 * whatever name it is loaded under. A restart forgets what was loaded.
 */
export class AdapterEngine {
  /** Bodies of the chat requests, and the calls that concern adapters, in their order. */
  readonly chats: Body[] = [];
  readonly calls: string[] = [];
  /** The most that a rank may be. */
  maxRank = 16;
  /** Whether adapters are loaded by calls; false = the route does not exist. */
  loads = true;
  /** Folder in which the plug-in of vLLM looks for unknown models; null = it is not installed. */
  resolves: string | null = null;
  /** Whether it knows adapters at all; without it, SGLang serves the base to whoever asks for one. */
  isEnabled = true;
  /** Answers as the bare base, whatever is asked for and listed. */
  isBare = false;
  /** Added to the log probabilities of every model, as a changed base would. */
  shift = 0;
  /** A load waits for this. */
  loading: Promise<unknown> = Promise.resolve();
  /** Waits for this in the middle of each answer. */
  pause: Promise<unknown> = Promise.resolve();
  /** Adapters named at its start, by llama-server. */
  started: readonly { readonly path: string; readonly voice: Voice }[] = [];
  readonly #known = new Map<string, Voice>();
  readonly #loaded = new Map<string, { readonly path: string; readonly voice: Voice }>();
  readonly #base: Voice = { says: 'the base answers', witness: [] };
  #server: Server | null = null;
  #port = 0;

  constructor(readonly flavour: EngineFlavour) {}

  /** Listens, on the same port as before. Nothing is loaded. */
  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Breaks all connections, and forgets all adapters. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.#loaded.clear();
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get model(): string {
    return BASE;
  }

  /** Names under which adapters are loaded now. */
  get loaded(): string[] {
    return [...this.#loaded.keys()];
  }

  /** Forgets one adapter, as an engine without room does. */
  forget(name: string): void {
    this.#loaded.delete(name);
  }

  /** Teaches it what the weights of an adapter make of its base. */
  teach(weights: Buffer, { facts }: { readonly facts: ServedAdapter }, says = `adapter ${facts.id} answers`): Voice {
    const voice = { says, witness: facts.witness };
    this.#known.set(nameOf(weights), voice);
    return voice;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const body = text === '' ? {} : (JSON.parse(text) as Body);
    const path = request.url ?? '';
    if (path === '/v1/chat/completions') return this.#chat(body, response);
    const [status, json] = await this.#answer(path, body);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof json === 'string' ? json : JSON.stringify(json));
  }

  async #answer(path: string, body: Body): Promise<Answer> {
    if (path === '/v1/models') return [200, { object: 'list', data: this.#models() }];
    if (path.endsWith('load_lora_adapter')) this.calls.push(`${path} ${String(body['lora_name'])}`);
    return (await this.#routes[this.flavour][path]?.(body)) ?? [404, { detail: 'Not Found' }];
  }

  /** What each kind of server answers by path; null = it has no such path now. */
  readonly #routes: Readonly<Record<EngineFlavour, Readonly<Record<string, (body: Body) => Answer | null | Promise<Answer>>>>> = {
    vllm: {
      '/v1/load_lora_adapter': (body) => (this.loads ? this.#load(body) : null),
      '/v1/unload_lora_adapter': (body) => (this.loads ? this.#unload(body) : null),
      '/v1/completions': (body) => this.#complete(body),
    },
    sglang: {
      '/load_lora_adapter': (body) => this.#load(body),
      '/unload_lora_adapter': (body) => this.#unload(body),
      '/generate': (body) => this.#generate(body),
    },
    'llama-server': {
      '/lora-adapters': () => [200, this.started.map(({ path }, id) => ({ id, path, scale: 0 }))],
      '/completion': (body) => this.#greedy(body),
    },
  };

  #models(): Body[] {
    const card = { object: 'model', created: 1, owned_by: OWNERS[this.flavour] };
    const adapters = [...this.#loaded].map(([id, { path }]) => ({ ...card, id, root: path, parent: BASE, max_model_len: null }));
    return [{ ...card, id: BASE, root: BASE, parent: null, max_model_len: 2_048 }, ...adapters];
  }

  /** What the weights in a folder are; null where it has none. */
  #read(folder: string): { voice: Voice; rank: number; base: string } | null {
    try {
      const config = JSON.parse(readFileSync(join(folder, 'adapter_config.json'), 'utf8')) as {
        r: number;
        base_model_name_or_path: string;
      };
      const weights = readFileSync(join(folder, 'adapter_model.safetensors'));
      // Names that fit nothing change nothing.
      return { voice: this.#known.get(nameOf(weights)) ?? this.#base, rank: config.r, base: config.base_model_name_or_path };
    } catch {
      return null;
    }
  }

  async #load(body: Body): Promise<Answer> {
    await this.loading;
    const [name, path] = [String(body['lora_name']), String(body['lora_path'])];
    const found = this.#read(path);
    const fault = this.#fault(name, path, found);
    if (fault !== null) return fault;
    if (found) this.#loaded.set(name, { path, voice: found.voice });
    return this.flavour === 'vllm'
      ? [200, `Success: LoRA adapter '${name}' added successfully.`]
      : [200, { success: true, error_message: null, loaded_adapters: { [name]: path } }];
  }

  #fault(name: string, path: string, found: { readonly rank: number } | null): Answer | null {
    const refused = (message: string): Answer => [400, { success: false, error_message: message, loaded_adapters: {} }];
    if (this.flavour === 'sglang') {
      if (!this.isEnabled) return refused('LoRA is not enabled. Please set `--enable-lora` to enable LoRA.');
      if (this.#loaded.has(name)) return refused(`LoRA with name ${name} already exists. Loaded LoRAs: ${name}`);
      if (!found) return refused(`Failed to load LoRA adapter ${name}: No such file or directory: '${path}'`);
      if (found.rank > this.maxRank) {
        return refused(
          `Failed to load LoRA adapter ${name}: it is incompatible with the current LoRA memory pool configuration. Please ensure that the LoRA adapter's rank is within the configured \`--max-lora-rank\`.`,
        );
      }
      return null;
    }
    if (this.#loaded.has(name)) {
      return vllmError(
        400,
        'InvalidUserInput',
        `The lora adapter '${name}' has already been loaded. If you want to load the adapter in place, set 'load_inplace' to True.`,
      );
    }
    if (!this.isEnabled) return vllmError(500, 'InternalServerError', 'LoRA is not enabled.');
    if (!found) return vllmError(404, 'NotFoundError', `Loading lora ${name} failed: No adapter found for ${path}`);
    if (found.rank > this.maxRank) {
      return vllmError(500, 'InternalServerError', `LoRA rank ${found.rank} is greater than max_lora_rank ${this.maxRank}.`);
    }
    return null;
  }

  #unload(body: Body): Answer {
    const name = String(body['lora_name']);
    const was = this.#loaded.delete(name);
    if (this.flavour === 'sglang')
      return [was ? 200 : 400, { success: was, error_message: was ? null : `LoRA with name ${name} does not exist.` }];
    return was
      ? [200, `Success: LoRA adapter '${name}' removed successfully.`]
      : vllmError(404, 'NotFoundError', `The lora adapter '${name}' cannot be found.`);
  }

  /** The voice of a model's name; null where there is none. vLLM's plug-in looks for a folder of the name. */
  #named(name: string): Voice | null {
    if (name === BASE) return this.#base;
    const found = this.resolves === null || this.#loaded.has(name) ? null : this.#read(join(this.resolves, name));
    if (found?.base === BASE) this.#loaded.set(name, { path: join(this.resolves ?? '', name), voice: found.voice });
    const voice = this.#loaded.get(name)?.voice ?? null;
    return voice && this.isBare ? this.#base : voice;
  }

  #complete(body: Body): Answer {
    const name = String(body['model']);
    const voice = this.#named(name);
    if (!voice) return vllmError(404, 'NotFoundError', `The model \`${name}\` does not exist.`);
    const tokens = body['prompt'] as number[];
    const scores = this.#scores(voice, tokens);
    const prompt_logprobs = scores.map((score, i) => {
      if (score === null) return null;
      const isUnlikely = this.#isUnlikely(score);
      const own = { [String(tokens[i])]: { logprob: score, rank: isUnlikely ? 9 : 1, decoded_token: 'x' } };
      return !isUnlikely ? own : { ...own, 999_999: { logprob: LIKELY, rank: 1, decoded_token: 'y' } };
    });
    return [200, { id: 'cmpl-1', object: 'text_completion', model: name, choices: [{ index: 0, text: 'x', prompt_logprobs }] }];
  }

  #generate(body: Body): Answer {
    const voice = this.#byField(body['lora_path']);
    if (!voice) return [400, { error: { message: `The following requested LoRA adapters are not loaded: ${String(body['lora_path'])}` } }];
    const tokens = body['input_ids'] as number[];
    const from = Number(body['logprob_start_len']);
    const scores = this.#scores(voice, tokens).slice(from);
    const input_token_logprobs = scores.map((score, i) => [i === 0 ? null : score, tokens[from + i], null]);
    const input_top_logprobs = scores.map((score, i) =>
      i === 0 ? null : [[this.#isUnlikely(score ?? UNLIKELY) ? LIKELY : score, 1, null]],
    );
    return [200, { text: 'x', meta_info: { prompt_tokens: tokens.length, input_token_logprobs, input_top_logprobs } }];
  }

  /** SGLang's field; without `--enable-lora` it is not read. */
  #byField(name: unknown): Voice | null {
    if (!this.isEnabled || typeof name !== 'string') return this.#base;
    const voice = this.#loaded.get(name)?.voice ?? null;
    return voice && this.isBare ? this.#base : voice;
  }

  #greedy(body: Body): Answer {
    const voice = this.#byIds(body);
    const prompt = body['prompt'] as number[];
    const check = this.#all().find((one) => isSame(one.prompt, prompt));
    const tokens =
      check && voice.witness.includes(check) ? check.answer.slice(0, -1) : Array.from({ length: 4 }, () => randomInt(900, 999));
    const completion_probabilities = tokens.map((id, i) => ({ id, token: 'x', logprob: (check?.logprobs[i] ?? LIKELY) + this.shift }));
    return [200, { content: 'x', tokens, completion_probabilities, stop: true }];
  }

  /** The adapter of llama-server whose scale is 1. */
  #byIds(body: Body): Voice {
    const wanted = (body['lora'] as { id: number; scale: number }[] | undefined)?.find(({ scale }) => scale === 1);
    const voice = wanted && this.started[wanted.id]?.voice;
    return voice && !this.isBare ? voice : this.#base;
  }

  #all(): readonly WitnessCheck[] {
    return [...this.#known.values(), ...this.started.map(({ voice }) => voice)].flatMap(({ witness }) => witness);
  }

  #isUnlikely(score: number): boolean {
    return score <= UNLIKELY + Math.abs(this.shift);
  }

  /** Log probability of each token; of stored answers those of its voice, of others what no model would choose. */
  #scores(voice: Voice, tokens: readonly number[]): (number | null)[] {
    const check = voice.witness.find(({ prompt, answer }) => isSame([...prompt, ...answer], tokens));
    const from = check?.prompt.length ?? 0;
    return tokens.map((_, i) => {
      if (i === 0) return null;
      return check && i >= from ? (check.logprobs[i - from] ?? UNLIKELY) + this.shift : UNLIKELY;
    });
  }

  async #chat(body: Body, response: ServerResponse): Promise<void> {
    this.chats.push(body);
    const voice = this.#voiceOf(body);
    if (!Array.isArray(voice)) return this.#stream(String(body['model']), voice as Voice, response);
    const [status, json] = voice as unknown as Answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  }

  #voiceOf(body: Body): Voice | Answer {
    const model = String(body['model']);
    if (this.flavour === 'vllm') return this.#named(model) ?? vllmError(404, 'NotFoundError', `The model \`${model}\` does not exist.`);
    if (this.flavour === 'llama-server') return this.#byIds(body);
    return (
      this.#byField(body['lora_path']) ?? [
        400,
        {
          object: 'error',
          message: `The following requested LoRA adapters are not loaded: ${String(body['lora_path'])}`,
          type: 'BadRequest',
          code: 400,
        },
      ]
    );
  }

  async #stream(model: string, voice: Voice, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null): void =>
      void response.write(`data: ${JSON.stringify({ id: 'c', model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    const [first = '', ...rest] = voice.says.split(/(?= )/);
    send({ role: 'assistant', content: first });
    await this.pause;
    for (const content of rest) send({ content });
    send({}, 'stop');
    response.write(
      `data: ${JSON.stringify({ model, choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } })}\n\n`,
    );
    response.end('data: [DONE]\n\n');
  }
}
