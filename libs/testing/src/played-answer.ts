import {
  CONTEXT,
  midStreamError,
  type PlayedBehaviour,
  type PlayedLines,
  type PlayedServer,
  playedGets,
  playedPosts,
  playedRefusal,
  PROMPT_TOKENS,
} from './played-server.js';
import { type ScriptedUpstream, sseEvent, type UpstreamAnswer, type UpstreamScript, type UpstreamStep } from './scripted-upstream.js';

const TEXT = ['The ', 'weather ', 'is ', 'fine.'];
const REASONING = ['Let me ', 'think.'];
const CALLS = [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' }];

type Fields = Readonly<Record<string, unknown>>;
type Call = NonNullable<PlayedLines['calls']>[number];

/** The name under which a server streams reasoning. */
const REASONING_FIELD: Readonly<Record<PlayedServer, string>> = {
  vllm: 'reasoning',
  sglang: 'reasoning_content',
  'llama-server': 'reasoning_content',
  ollama: 'reasoning',
};

/** Field in which a server reports the matched stop string; other servers report none. */
const STOP_FIELD: Readonly<Partial<Record<PlayedServer, string>>> = { vllm: 'stop_reason', sglang: 'matched_stop' };

/** Writes one answer in the format of one server. */
class Player {
  readonly #steps: UpstreamStep[] = [];
  readonly #prompt: number;
  #completion = 0;

  constructor(
    private readonly server: PlayedServer,
    private readonly lines: PlayedLines,
    private readonly request: Fields,
  ) {
    this.#prompt = lines.prompt ?? PROMPT_TOKENS;
  }

  get text(): readonly string[] {
    const [first = '', ...rest] = this.lines.text ?? TEXT;
    return [this.#repeated() + first, ...rest];
  }

  role(index = 0): this {
    // llama-server sends null where others send "".
    const content = this.server === 'llama-server' ? null : '';
    // Ollama has no chunk for the role alone: its first piece contains it.
    return this.server === 'ollama' ? this : this.#chunk(index, { role: 'assistant', content });
  }

  piece(content: string, index = 0, more: Fields = {}): this {
    this.#completion += 1;
    const role = this.server === 'ollama' && this.#completion === 1 ? { role: 'assistant' } : {};
    return this.#chunk(index, { ...role, content }, more);
  }

  thought(text: string): this {
    this.#completion += 1;
    const beside = this.server === 'ollama' ? { content: '' } : {};
    return this.#chunk(0, { ...beside, [REASONING_FIELD[this.server]]: text });
  }

  call(call: Call, index: number): this {
    this.#completion += 2;
    const id = call.id ?? `call_${index}`;
    const { name, arguments: all } = call;
    const whole = [{ index, id, type: 'function', function: { name, arguments: all } }];
    if (this.server === 'ollama') return this.#chunk(0, { role: 'assistant', content: '', tool_calls: whole });
    const half = Math.ceil(all.length / 2);
    const repeated = this.server === 'sglang' ? { id: null, type: 'function' } : {};
    const name2 = this.server === 'sglang' ? { name: null } : {};
    this.#chunk(0, { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    this.#chunk(0, { tool_calls: [{ index, ...repeated, function: { ...name2, arguments: all.slice(0, half) } }] });
    return this.#chunk(0, { tool_calls: [{ index, ...repeated, function: { ...name2, arguments: all.slice(half) } }] });
  }

  finish(reason: string, index = 0): this {
    const { stop } = this.lines;
    const field = STOP_FIELD[this.server];
    const stopField = stop !== undefined && field !== undefined ? { [field]: stop } : {};
    return this.#chunk(index, {}, { finish_reason: reason, ...stopField });
  }

  /** Usage of the whole answer, or of one of several choices. */
  usage(completion?: number): this {
    this.#steps.push(sseEvent({ ...this.#head(), choices: [], usage: this.#usage(completion) }));
    return this;
  }

  /** Usage, and the end of the stream. */
  end(): UpstreamScript {
    return this.usage().steps(sseEvent('[DONE]'));
  }

  steps(...more: UpstreamStep[]): UpstreamScript {
    return { steps: [...this.#steps, ...more] };
  }

  /** llama-server repeats the last message when it continues it. */
  #repeated(): string {
    const messages = this.request['messages'];
    const last = Array.isArray(messages) ? (messages.at(-1) as Fields) : {};
    return this.server === 'llama-server' && last['role'] === 'assistant' && typeof last['content'] === 'string' ? last['content'] : '';
  }

  #head(): Fields {
    return { id: 'chatcmpl-played', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'scripted' };
  }

  #usage(completion = this.lines.completion ?? this.#completion): Fields {
    const { cached } = this.lines;
    const details = this.server === 'ollama' || cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } };
    return { prompt_tokens: this.#prompt, completion_tokens: completion, total_tokens: this.#prompt + completion, ...details };
  }

  #running(): Fields {
    if (this.server === 'llama-server' && this.request['timings_per_token'] === true && this.#completion > 0) {
      const cached = this.lines.cached ?? 0;
      return { timings: { cache_n: cached, prompt_n: this.#prompt - cached, predicted_n: this.#completion } };
    }
    const options = this.request['stream_options'] as Fields | undefined;
    const takes = this.server === 'vllm' || this.server === 'sglang';
    return takes && options?.['continuous_usage_stats'] === true ? { usage: this.#usage() } : {};
  }

  #chunk(index: number, delta: Fields, more: Fields = {}): this {
    const choice = { index, delta, logprobs: null, finish_reason: null, ...more };
    this.#steps.push(sseEvent({ ...this.#head(), choices: [choice], ...this.#running() }));
    return this;
  }
}

const half = <T>(pieces: readonly T[]): readonly T[] => pieces.slice(0, Math.ceil(pieces.length / 2));

function logprobsOf(token: string): Fields {
  const bytes = [...Buffer.from(token, 'utf8')];
  return { logprobs: { content: [{ token, logprob: -0.25, bytes, top_logprobs: [{ token, logprob: -0.25, bytes }] }] } };
}

type Play = (player: Player, lines: PlayedLines, server: PlayedServer) => UpstreamScript;

function begin(player: Player, pieces: readonly string[]): Player {
  player.role();
  for (const piece of pieces) player.piece(piece);
  return player;
}

function callAll(player: Player, lines: PlayedLines): Player {
  player.role();
  for (const piece of lines.text ?? []) player.piece(piece);
  for (const [index, call] of (lines.calls ?? CALLS).entries()) player.call(call, index);
  return player;
}

const PLAYS: Readonly<Partial<Record<PlayedBehaviour, Play>>> = {
  text: (player) => begin(player, player.text).finish('stop').end(),
  length: (player) => begin(player, player.text).finish('length').end(),
  reasoning: (player, lines) => {
    player.role();
    for (const thought of lines.reasoning ?? REASONING) player.thought(thought);
    for (const piece of player.text) player.piece(piece);
    return player.finish('stop').end();
  },
  // vLLM ends a named choice with `stop` though it called.
  calls: (player, lines, server) =>
    callAll(player, lines)
      .finish(server === 'vllm' ? 'stop' : 'tool_calls')
      .end(),
  'broken arguments': (player, lines) => {
    const calls = (lines.calls ?? CALLS).map((call) => ({ ...call, arguments: call.arguments.slice(0, -2) }));
    return callAll(player, { ...lines, calls })
      .finish('tool_calls')
      .end();
  },
  'two choices': (player, _lines, server) => {
    player.role(0).role(1);
    for (const piece of player.text) player.piece(piece, 0).piece(piece.toUpperCase(), 1);
    if (server !== 'llama-server') return player.finish('stop', 1).finish('stop', 0).end();
    // It counts each choice by itself.
    const each = player.text.length;
    return player.finish('stop', 1).usage(each).finish('stop', 0).usage(each).steps(sseEvent('[DONE]'));
  },
  logprobs: (player) => {
    player.role();
    for (const piece of player.text) player.piece(piece, 0, logprobsOf(piece));
    return player.finish('stop').end();
  },
  'error in mid-stream': (player, _lines, server) => begin(player, half(player.text)).steps(...midStreamError(server)),
  'no finish': (player) => begin(player, half(player.text)).steps(),
  cut: (player) => begin(player, half(player.text)).steps({ pauseMs: 20 }, { cut: true }),
  abort: (player) => begin(player, half(player.text)).finish('abort').end(),
  silence: (player) => begin(player, half(player.text)).steps({ hang: true }),
};

type Choose = (body: Readonly<Record<string, unknown>>) => PlayedBehaviour;

function playedAnswer(server: PlayedServer, behaviour: PlayedBehaviour | Choose, lines: PlayedLines): UpstreamAnswer {
  return ({ body }) => {
    const request = (body ?? {}) as Fields;
    const named = typeof behaviour === 'string' ? behaviour : behaviour(request);
    const refusal = playedRefusal(server, named);
    if (refusal) return refusal;
    const play = PLAYS[named];
    if (!play) throw new Error(`No server plays "${named}".`);
    return play(new Player(server, lines, request), lines, server);
  };
}

/**
 * Makes an upstream behave like a recorded real server: for chat requests and for everything by which that server is recognised,
 * so call this before an engine is loaded with it. All other paths of it are 404.
 *
 *     const upstream = await ScriptedUpstream.start(() => chatStream([]));
 *     playUpstream(upstream, 'vllm', 'calls', { calls: [{ name: 'get_weather', arguments: '{"city":"Paris"}' }] });
 *     playUpstream(upstream, 'ollama', 'error in mid-stream');
 *     playUpstream(upstream, 'sglang', (body) => (body['tools'] ? 'calls' : 'text'));
 *
 * For a tool round trip use the last form and check the roles in `body['messages']`. For another order of chunks, set
 * `upstream.answer` and write them with `chatChunk` and `sseEvent`.
 */
export function playUpstream(
  upstream: ScriptedUpstream,
  server: PlayedServer,
  behaviour: PlayedBehaviour | Choose,
  lines: PlayedLines = {},
): void {
  upstream.gets.clear();
  for (const [path, script] of playedGets(server)) upstream.gets.set(path, script);
  upstream.posts.clear();
  for (const [path, answer] of playedPosts(server)) upstream.posts.set(path, answer);
  upstream.answer = playedAnswer(server, behaviour, lines);
}

/** Context size that a played server reports, in tokens. */
export const PLAYED_CONTEXT = CONTEXT;
/** Tokens of every prompt, as a played server counts them. */
export const PLAYED_PROMPT_TOKENS = PROMPT_TOKENS;
