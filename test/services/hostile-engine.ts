import {
  chatChunk,
  jsonAnswer,
  modelList,
  ScriptedUpstream,
  sseEvent,
  type UpstreamRequest,
  type UpstreamScript,
  type UpstreamStep,
} from '@slipway/testing';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
/** What a probe of the counting sends is short; what a client has counted is not. */
const PROBE_CHARS = 1_000;

const endless = (start: string, step: UpstreamStep): UpstreamScript => ({
  headers: JSON_TYPE,
  steps: [{ write: start }, ...Array.from({ length: 100_000 }, () => step)],
});

const NAMES: UpstreamStep = { write: '{"id":"a name"},'.repeat(4_096) };
const NUMBERS: UpstreamStep = { write: '1234567,'.repeat(8_192) };
/** Each with a count that is too large, of no kind, or behind more than anybody should read. */
const COUNTS: readonly UpstreamScript[] = [
  jsonAnswer(200, { input_tokens: 9e15 }),
  jsonAnswer(200, { input_tokens: -1 }),
  jsonAnswer(200, { tokens: Array.from({ length: 2 * MIB }, () => 7), input_tokens: 3 }),
  jsonAnswer(200, { nested: '['.repeat(4 * MIB) }),
  endless('{"tokens":[', NUMBERS),
];

const usage = { prompt_tokens: 9e15, completion_tokens: 9e15, total_tokens: -1, prompt_tokens_details: { cached_tokens: 9e15 } };
const LIE: UpstreamScript = {
  steps: [chatChunk({ content: 'yes' }), chatChunk({}, 'stop'), sseEvent({ choices: [], usage }), sseEvent('[DONE]')],
};
/** 200 MiB in events as large as a message may be. */
const FLOOD: UpstreamScript = { steps: Array.from({ length: 200 }, () => chatChunk({ content: 'x'.repeat(MIB) })) };

/** An engine that answers whatever harms who reads it. */
export class HostileEngine {
  #counted = 0;

  private constructor(private readonly upstream: ScriptedUpstream) {
    upstream.answer = (request) => this.#chat(request);
    upstream.posts.set('/v1/chat/completions/input_tokens', (request) => this.#count(request));
    upstream.gets.set('/endless/v1/models', endless('{"data":[', NAMES));
    upstream.gets.set('/large/v1/models', modelList('x'.repeat(8 * MIB)));
    upstream.gets.set('/silent/v1/models', { headers: JSON_TYPE, steps: [{ hang: true }] });
  }

  static async start(): Promise<HostileEngine> {
    return new HostileEngine(await ScriptedUpstream.start(() => LIE));
  }

  get url(): string {
    return this.upstream.url;
  }

  stop(): Promise<void> {
    return this.upstream.stop();
  }

  #chat({ body }: UpstreamRequest): UpstreamScript {
    this.#forget();
    const { messages } = body as { messages: { content: unknown }[] };
    return messages.at(-1)?.content === 'flood' ? FLOOD : LIE;
  }

  #count({ body }: UpstreamRequest): UpstreamScript {
    this.#forget();
    if (JSON.stringify(body).length < PROBE_CHARS) return jsonAnswer(200, { input_tokens: 3 });
    return COUNTS[(this.#counted += 1) % COUNTS.length] ?? LIE;
  }

  /** Requests of megabytes are not kept for anybody to look at. */
  #forget(): void {
    this.upstream.requests.length = 0;
  }
}
