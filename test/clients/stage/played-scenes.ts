import {
  chatChunk,
  type PlayedBehaviour,
  type PlayedLines,
  type PlayedServer,
  playUpstream,
  type ScriptedUpstream,
  sseEvent,
  type UpstreamRequest,
  type UpstreamScript,
  usageChunk,
} from '@slipway/testing';

/** What a question can make an upstream do, beside the recorded behaviours. */
type OwnScene =
  /** A call of the first tool; once its result is there, the result word for word. */
  | 'call'
  /** An object for the schema of the programs. */
  | 'object'
  /** Nothing for `SLOW_MS`, then the text. */
  | 'slow'
  /** A call of the first tool that stops in its arguments: the connection breaks. */
  | 'call, cut'
  /** The same, and the stream ends as if nothing were wrong. */
  | 'call, no finish'
  /** The same, then the server's error object. */
  | 'call, error'
  /** The same, then silence until the client leaves. */
  | 'call, silence'
  /** The same, as far as `max_tokens` allowed. */
  | 'call, length';

export type Scene = PlayedBehaviour | OwnScene;

/** The question that asks for a scene. */
export const questionFor = (scene: Scene): string => `Play: ${scene}.`;

/** The question that asks for a scene with a call of this tool. */
export const questionForCall = (scene: Scene, tool: string, input: object): string =>
  `${questionFor(scene)} Call: ${tool} ${JSON.stringify(input)}`;

/** What played servers say, to the end. */
export const PLAYED_TEXT = 'The weather is fine.';
/** What they think before that. */
export const PLAYED_THOUGHT = 'Let me think.';
/** What they say before they break. */
export const PLAYED_HALF = 'The weather ';
/** Longer than a gateway or a client waits without a sign of life. */
const SLOW_MS = 40_000;
export const CITY = { city: 'Paris', inhabitants: 2_100_000 };

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly response_format?: unknown;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

/** The last question that asks for something, as those of coding agents stand among other texts. */
function questionIn({ messages }: ChatBody): { readonly text: string; readonly index: number } {
  const asks = ({ role, content }: ChatBody['messages'][number]): boolean => role === 'user' && textOf(content).includes('Play: ');
  const index = messages.findLastIndex(asks);
  return { text: textOf(messages[index]?.content), index };
}

function sceneOf(body: ChatBody): Scene {
  const named = [...questionIn(body).text.matchAll(/Play: ([a-z, -]+)\./g)].at(-1)?.[1];
  return (named ?? 'text') as Scene;
}

/** What the question's call was answered with. */
function resultIn(body: ChatBody): string | undefined {
  const { index } = questionIn(body);
  const result = body.messages.findLast(({ role }, at) => role === 'tool' && at > index);
  return result && textOf(result.content);
}

/** The call that a question spells out, or one of the first tool: the programs' own, or the one by which an SDK asks for an object. */
function callOf(body: ChatBody): { name: string; text: string } {
  const [, named, input] = /Call: (\w+) (\{.*\})/.exec(questionIn(body).text) ?? [];
  if (named !== undefined && input !== undefined) return { name: named, text: input };
  const name = body.tools?.[0]?.function.name ?? 'none';
  return { name, text: JSON.stringify(name === 'get_weather' ? { city: 'Paris' } : CITY) };
}

/** A call whose arguments stop in their middle, in the chunks that most servers agree on. */
const begunCall = ({ name, text }: { name: string; text: string }): UpstreamScript['steps'] => [
  chatChunk({ role: 'assistant', content: '' }),
  chatChunk({ tool_calls: [{ index: 0, id: 'call_played1', type: 'function', function: { name, arguments: '' } }] }),
  chatChunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(0, -3) } }] }),
];

/** How it goes on. */
const ENDINGS: Readonly<Record<Exclude<OwnScene, 'call' | 'object' | 'slow'>, UpstreamScript['steps']>> = {
  'call, cut': [{ pauseMs: 20 }, { cut: true }],
  'call, no finish': [],
  'call, error': [sseEvent({ error: { code: 500, message: 'secret', type: 'server_error' } })],
  'call, silence': [{ hang: true }],
  'call, length': [chatChunk({}, 'length'), usageChunk(12, 3), sseEvent('[DONE]')],
};

const isBrokenCall = (scene: Scene): scene is keyof typeof ENDINGS => scene in ENDINGS;

interface Recorded {
  readonly behaviour: PlayedBehaviour;
  readonly lines?: PlayedLines;
}

/** What a recorded server has to do for a question. */
function recordedFor(body: ChatBody): Recorded {
  const scene = sceneOf(body);
  const result = resultIn(body);
  if (result !== undefined) return { behaviour: 'text', lines: { text: [result] } };
  const { name, text } = callOf(body);
  const calls: Recorded = { behaviour: 'calls', lines: { calls: [{ id: 'call_played1', name, arguments: text }] } };
  if (scene === 'call') return calls;
  // An SDK that asks for an object by a tool wants a call of it.
  if (scene === 'object')
    return body.tools && !body.response_format
      ? calls
      : { behaviour: 'text', lines: { text: ['{"city":"Paris",', '"inhabitants":2100000}'] } };
  return { behaviour: scene === 'slow' ? 'text' : (scene as PlayedBehaviour) };
}

/** Makes an upstream play one server, in the scene that each question asks for. */
export function playScenes(upstream: ScriptedUpstream, server: PlayedServer): void {
  const perform = (request: UpstreamRequest): UpstreamScript => {
    const body = request.body as ChatBody;
    const scene = sceneOf(body);
    if (isBrokenCall(scene)) return { steps: [...begunCall(callOf(body)), ...ENDINGS[scene]] };
    const { behaviour, lines } = recordedFor(body);
    playUpstream(upstream, server, behaviour, lines);
    const script = upstream.answer(request);
    upstream.answer = perform;
    return scene === 'slow' ? { ...script, steps: [{ pauseMs: SLOW_MS }, ...script.steps] } : script;
  };
  playUpstream(upstream, server, 'text');
  upstream.answer = perform;
}
