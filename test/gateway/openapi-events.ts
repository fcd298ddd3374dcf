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

/** What a model says, and what is asked of it by each contract; null = it cannot ask for this. */
export const SAID: readonly (readonly [what: string, said: readonly StreamEvent[], chat: Fields | null, messages: Fields | null])[] = [
  ['a text', [start, text('Hello'), text(' you'), fin()], {}, {}],
  ['nothing', [start, fin()], {}, {}],
  ['a text that the limit cut', [start, text('Hel'), fin('length')], { max_tokens: 3 }, { max_tokens: 3 }],
  ['a text that a stop sequence ended', [start, text('Hel'), fin('stop_sequence', 0, 'END')], { stop: 'END' }, { stop_sequences: ['END'] }],
  ['a refusal', [start, text('I'), fin('content_filter')], {}, {}],
  ['thoughts and a text', [start, ...thoughts, text('yes'), fin()], {}, { thinking: { type: 'adaptive' } }],
  ['thoughts that stay hidden', [start, ...thoughts, text('yes'), fin()], null, { thinking: { type: 'adaptive', display: 'omitted' } }],
  [
    'calls',
    [start, text('I look.'), ...calls, fin('tool_calls')],
    { tools: [{ type: 'function', function: { name: 'look' } }] },
    { tools: [{ name: 'look', input_schema: { type: 'object' } }] },
  ],
  [
    'calls and nothing else',
    [start, ...calls, fin('tool_calls')],
    { tools: [{ type: 'function', function: { name: 'look' } }] },
    { tools: [{ name: 'look', input_schema: { type: 'object' } }] },
  ],
  ['probabilities', [start, probable, fin()], { logprobs: true, top_logprobs: 2 }, null],
  ['two choices', [start, text('a'), text('b', 1), fin(), fin('length', 1)], { n: 2 }, null],
];
