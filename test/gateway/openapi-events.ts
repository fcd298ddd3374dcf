import type { ServiceError, StreamEvent } from '@slipway/contracts';
import { type Script, usageOf } from './scripted-runner.js';

type Fields = Readonly<Record<string, unknown>>;

export const start: StreamEvent = { k: 'start', prompt: 7, cached: 3 };
export const text = (x: string, c = 0): StreamEvent => ({ k: 'text', c, x, n: 1 });
const fin = (r: Extract<StreamEvent, { k: 'fin' }>['r'] = 'stop', c = 0, stop?: string): StreamEvent => ({
  k: 'fin',
  c,
  r,
  ...(stop && { stop }),
});
const calls: readonly StreamEvent[] = [
  { k: 'call', i: 0, id: 'call_1', name: 'look', n: 1 },
  { k: 'args', i: 0, x: '{"q":', n: 1 },
  { k: 'args', i: 0, x: '"x"}', n: 1 },
  { k: 'call', i: 1, id: 'call_2', name: 'look', n: 1 },
  { k: 'args', i: 1, x: '{}', n: 1 },
];
const thoughts: readonly StreamEvent[] = [
  { k: 'think', x: 'h', n: 1 },
  { k: 'think', x: 'm', n: 1 },
];
const probable: StreamEvent = {
  k: 'text',
  x: 'a',
  n: 1,
  lp: [
    {
      t: 'a',
      p: -0.5,
      top: [
        { t: 'a', p: -0.5 },
        { t: '\ufffd', p: -20_000, b: [240] },
      ],
    },
  ],
};

/** Sends these events, one step each; an error ends the stream. */
export const saying =
  (events: readonly StreamEvent[], failure?: ServiceError): Script =>
  async (_start, writer) => {
    for (const event of events) writer.events([event]);
    if (failure) throw failure;
    return { ...usageOf(3), usage: { ...usageOf(3).usage, reasoning: 2 } };
  };

const FUNCTION = {
  chat: { tools: [{ type: 'function', function: { name: 'look' } }] },
  messages: { tools: [{ name: 'look', input_schema: { type: 'object' } }] },
  responses: { tools: [{ type: 'function', name: 'look' }] },
};
const custom: readonly StreamEvent[] = [
  { k: 'call', i: 0, id: 'call_1', name: 'patch', n: 1 },
  { k: 'args', i: 0, x: '{"input":"x"}', n: 1 },
];

/** What is asked of a model by each contract; null = it cannot ask for this. */
type Asked = Readonly<Record<'chat' | 'messages' | 'responses', Fields | null>>;

const inAll = (chat: Fields | null, messages: Fields | null, responses: Fields | null): Asked => ({ chat, messages, responses });

/** What a model says, and what is asked of it. */
export const SAID: readonly (readonly [what: string, said: readonly StreamEvent[], asked: Asked])[] = [
  ['a text', [start, text('Hello'), text(' you'), fin()], inAll({}, {}, {})],
  ['nothing', [start, fin()], inAll({}, {}, {})],
  ['a text that the limit cut', [start, text('Hel'), fin('length')], inAll({ max_tokens: 3 }, { max_tokens: 3 }, { max_output_tokens: 3 })],
  [
    'a text that a stop sequence ended',
    [start, text('Hel'), fin('stop_sequence', 0, 'END')],
    inAll({ stop: 'END' }, { stop_sequences: ['END'] }, { stop: 'END' }),
  ],
  ['a refusal', [start, text('I'), fin('content_filter')], inAll({}, {}, {})],
  ['thoughts and a text', [start, ...thoughts, text('yes'), fin()], inAll({}, { thinking: { type: 'adaptive' } }, { store: false })],
  [
    'thoughts that stay hidden',
    [start, ...thoughts, text('yes'), fin()],
    inAll(null, { thinking: { type: 'adaptive', display: 'omitted' } }, null),
  ],
  ['calls', [start, text('I look.'), ...calls, fin('tool_calls')], FUNCTION],
  ['calls and nothing else', [start, ...calls, fin('tool_calls')], FUNCTION],
  ['a custom call', [start, ...custom, fin('tool_calls')], inAll(null, null, { tools: [{ type: 'custom', name: 'patch' }] })],
  [
    'a call of a namespace',
    [start, { k: 'call', i: 0, id: 'a', name: 'ns__look', n: 1 }, fin('tool_calls')],
    inAll(null, null, { tools: [{ type: 'namespace', name: 'ns', tools: FUNCTION.responses.tools }, { type: 'web_search' }] }),
  ],
  ['probabilities', [start, probable, fin()], inAll({ logprobs: true, top_logprobs: 2 }, null, { top_logprobs: 2 })],
  ['two choices', [start, text('a'), text('b', 1), fin(), fin('length', 1)], inAll({ n: 2 }, null, null)],
];
