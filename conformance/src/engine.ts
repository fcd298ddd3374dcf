import { jsonAnswer, ScriptedUpstream, type UpstreamRequest, type UpstreamScript } from '@slipway/testing';
import { Mismatch } from './check.js';
import { CONTEXT, counted, type EngineRequest, obedientAnswer, PROMPT_TOKENS, refuses } from './engine-answers.js';
import { documentOf } from './engine-document.js';
import { DIMENSIONS, embeddingsAnswer } from './engine-vectors.js';

/** The models of the scripted engine: one that takes images and tools, one that takes text alone, and one that makes embeddings. */
export const MODELS = { main: 'scripted', text: 'scripted-text', embed: 'scripted-embed' } as const;

type Script = UpstreamScript | ((request: EngineRequest) => UpstreamScript);

/**
 * The OpenAI-compatible server that a deployment under test uses as its engine. Its first model presents itself as vLLM's, its second
 * as Ollama's without images. Cases choose what it answers and read what it was asked.
 */
export class Engine {
  readonly #marked = new Map<string, UpstreamScript>();
  #script: Script = obedientAnswer;
  #vectors: (request: EngineRequest) => UpstreamScript = embeddingsAnswer;
  #seen: EngineRequest[] = [];

  private constructor(private readonly server: ScriptedUpstream) {
    server.answer = (request) => safely(() => this.#answer(request));
    server.gets.clear();
    server.gets.set('/v1/models', modelList());
    server.gets.set('/version', jsonAnswer(200, { version: '0.19.1' }));
    server.posts.set('/tokenize', () => jsonAnswer(200, { count: PROMPT_TOKENS, max_model_len: CONTEXT, tokens: [] }));
    server.posts.set('/api/show', () => jsonAnswer(200, { capabilities: ['completion', 'tools'] }));
    server.posts.set('/v1/embeddings', ({ body }) => safely(() => this.#embed(body as EngineRequest)));
  }

  static async start(address: { readonly port?: number; readonly host?: string } = {}): Promise<Engine> {
    return new Engine(await ScriptedUpstream.start(() => ({ steps: [] }), address));
  }

  get url(): string {
    return this.server.url;
  }

  /** Requests whose caller left before the answer was complete. */
  get abandoned(): number {
    return this.server.abandoned;
  }

  /** Answers that are being written now. */
  get live(): number {
    return this.server.live;
  }

  /** Requests for an answer since the case began. */
  get requests(): readonly EngineRequest[] {
    return this.#seen;
  }

  /** The newest request. @throws Mismatch when there was none */
  get last(): EngineRequest {
    const last = this.#seen.at(-1);
    if (!last) throw new Mismatch('a request to the engine', 'none');
    return last;
  }

  /** What it answers to the requests of this case. */
  play(script: Script): void {
    this.#script = script;
  }

  /** What it answers to requests for vectors in this case. */
  playVectors(script: (request: EngineRequest) => UpstreamScript): void {
    this.#vectors = script;
  }

  /** What it answers to requests whose body contains the mark, in all cases. */
  playFor(mark: string, script: UpstreamScript): void {
    this.#marked.set(mark, script);
  }

  /** Between two cases. */
  reset(): void {
    this.#script = obedientAnswer;
    this.#vectors = embeddingsAnswer;
    this.#seen = [];
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  #answer({ body }: UpstreamRequest): UpstreamScript {
    const request = body as EngineRequest;
    const text = JSON.stringify(request);
    for (const [mark, script] of this.#marked) if (text.includes(mark)) return inForm(script, request);
    if (request.model === MODELS.embed) return jsonAnswer(404, { error: { message: 'This model makes embeddings.' } });
    this.#seen.push(request);
    return inForm(typeof this.#script === 'function' ? this.#script(request) : this.#script, request);
  }

  #embed(request: EngineRequest): UpstreamScript {
    if (request.model !== MODELS.embed) return jsonAnswer(404, { error: { message: 'This model makes no embeddings.' } });
    this.#seen.push(request);
    return this.#vectors(request);
  }
}

/** As a stream or as a document, as the gateway asks for it. */
const inForm = (script: UpstreamScript, request: EngineRequest): UpstreamScript =>
  request['stream'] === true ? counted(script, request) : documentOf(script);

/** A gateway may pass on whatever it was sent. */
function safely(answer: () => UpstreamScript): UpstreamScript {
  try {
    return answer();
  } catch {
    return refuses(400, 'The scripted engine cannot read this request.');
  }
}

function modelList(): UpstreamScript {
  const vllm = { object: 'model', owned_by: 'vllm', max_model_len: CONTEXT };
  const data = [
    { id: MODELS.main, ...vllm },
    { id: MODELS.text, object: 'model', owned_by: 'library' },
    { id: MODELS.embed, ...vllm, dimensions: DIMENSIONS },
  ];
  return jsonAnswer(200, { object: 'list', data });
}
