import { ServiceError, type StreamEvent, type TokenLogprob } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { args, call, chunk, chunksIn, end, fin, lp, ROLE, text, writer } from './events.samples.js';

describe('the calls of a chat stream', () => {
  it('send id, type and name once, then arguments', () => {
    const w = writer();
    const begin = (i: number): string =>
      chunk(`{"tool_calls":[{"index":${i},"id":"call_${i}","type":"function","function":{"name":"f${i}","arguments":""}}]}`);
    const piece = (i: number, x: string): string => chunk(`{"tool_calls":[{"index":${i},"function":{"arguments":${JSON.stringify(x)}}}]}`);
    expect(w.frames([{ k: 'start' }, call(0)])).toBe(ROLE + begin(0));
    expect(w.frames([args(0, '{"a"'), args(0, ':1')])).toBe(piece(0, '{"a":1'));
    expect(w.frames([args(0, '}'), call(1), args(1, '{}'), fin('tool_calls')])).toBe(piece(0, '}') + begin(1) + piece(1, '{}'));
    expect(w.lastFrames(end)).toBe(`${chunk('{}', '"tool_calls"')}data: [DONE]\n\n`);
  });

  it('come after what was said before them', () => {
    const w = writer();
    const deltas = chunksIn(w.frames([{ k: 'think', x: 'hm', n: 1 }, text('So: '), call(0), args(0, '{}')])).map(({ choices }) =>
      Object.keys(choices[0]!.delta).join(),
    );
    expect(deltas).toEqual(['role,content', 'reasoning_content', 'content', 'tool_calls', 'tool_calls']);
  });

  it('after the first are dropped when one was requested', () => {
    const w = writer({ oneCall: true });
    const events = [call(0), args(0, '{}'), call(1), args(1, '{"a"'), args(1, ':1}'), fin('tool_calls')];
    const frames = w.frames(events) + w.lastFrames(end);
    expect(chunksIn(frames).flatMap(({ choices }) => choices[0]?.delta.tool_calls?.map(({ index }) => index) ?? [])).toEqual([0, 0]);
    const whole = writer({ oneCall: true });
    whole.collect(events);
    expect(whole.document(end)).toContain('"tool_calls":[{"id":"call_0","type":"function","function":{"name":"f0","arguments":"{}"}}]');
  });

  it('that a limit cut stream their partial arguments', () => {
    const w = writer();
    const frames = w.frames([call(0), args(0, '{"a":'), fin('length')]) + w.lastFrames(end);
    expect(chunksIn(frames).map(({ choices }) => choices[0]!.delta.tool_calls?.[0]?.function.arguments)).toEqual([
      undefined,
      '',
      '{"a":',
      undefined,
    ]);
    expect(frames).toContain('"finish_reason":"length"');
  });
});

describe('the choices of a chat stream', () => {
  it('come one per chunk, each with role and finish', () => {
    const w = writer({ choices: 2, usage: 'last' });
    const on = (c: number, x: string): StreamEvent => ({ k: 'text', c, x, n: 1 });
    const frames =
      w.frames([on(1, 'x'), on(1, 'y'), text('a'), on(0, 'b')]) +
      w.frames([{ k: 'fin', c: 1, r: 'length' }, on(0, 'c'), fin()]) +
      w.lastFrames(end);
    const chunks = chunksIn(frames);
    const said = (index: number): unknown[] =>
      chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index)).map(({ delta, finish_reason: r }) => r ?? delta);
    expect(said(0)).toEqual([{ role: 'assistant', content: '' }, { content: 'a' }, { content: 'b' }, { content: 'c' }, 'stop']);
    expect(said(1)).toEqual([{ role: 'assistant', content: '' }, { content: 'xy' }, 'length']);
    expect(chunks.filter(({ usage }) => usage !== null)).toHaveLength(1);
    expect(chunks.every(({ choices }, i) => choices.length === (i === chunks.length - 1 ? 0 : 1))).toBe(true);
    expect(frames.match(/\[DONE\]/g)).toHaveLength(1);
  });

  it('never end well before all of them ended', () => {
    const w = writer({ choices: 2 });
    w.frames([text('a'), fin()]);
    expect(() => w.lastFrames(end)).toThrow(ServiceError);
  });

  it('are those that were asked for', () => {
    const w = writer();
    expect(w.frames([{ k: 'text', c: 7, x: 'x', n: 1 }, call(0, 7), args(0, '{}', 7), { k: 'fin', c: 7, r: 'stop' }])).toBe('');
    expect(w.frames([text('a'), fin()]) + w.lastFrames(end)).toContain('"content":"a"');
  });
});

describe('log probabilities in a chat stream', () => {
  it('belong to their chunk, one finite entry per token', () => {
    const w = writer({ logprobs: true });
    const top: TokenLogprob[] = [
      { t: 'Hel', p: -0.5 },
      { t: 'é', p: -99_999, b: [0xc3, 0xa9] },
    ];
    const frames = w.frames([
      { k: 'text', x: 'Hel', n: 1, lp: [{ ...lp('Hel'), top }] },
      { k: 'text', x: 'lo', n: 1, lp: [lp('lo')] },
    ]);
    const [, content] = chunksIn(frames);
    expect(content?.choices[0]?.logprobs).toEqual({
      content: [
        {
          token: 'Hel',
          logprob: -0.5,
          bytes: [72, 101, 108],
          top_logprobs: [
            { token: 'Hel', logprob: -0.5, bytes: [72, 101, 108] },
            { token: 'é', logprob: -9999, bytes: [195, 169] },
          ],
        },
        { token: 'lo', logprob: -0.5, bytes: [108, 111], top_logprobs: [] },
      ],
      refusal: null,
    });
  });

  it('of tokens without text are not lost', () => {
    const w = writer({ logprobs: true });
    const frames = [
      w.frames([{ k: 'text', x: '', n: 1, lp: [{ t: '\ufffd', p: -1, b: [0xf0, 0x9f] }] }]),
      w.frames([{ k: 'text', x: '👋', n: 1, lp: [lp('👋')] }]),
      w.frames([{ k: 'text', x: '', n: 1, lp: [lp('</s>')] }, fin()]),
      w.lastFrames(end),
    ];
    const tokens = frames.map((each) =>
      chunksIn(each).flatMap(({ choices }) => choices[0]?.logprobs?.content.map(({ token }) => token) ?? []),
    );
    expect(tokens).toEqual([[], ['\ufffd', '👋'], ['</s>'], []]);
  });

  it('are left out unless they were requested', () => {
    expect(writer().frames([{ k: 'text', x: 'a', n: 1, lp: [lp('a')] }])).toBe(ROLE + chunk('{"content":"a"}'));
  });
});

describe('a character in two halves', () => {
  const [high, low] = ['👋'.slice(0, 1), '👋'.slice(1)];
  const saidIn = (frames: string): string[] => chunksIn(frames).flatMap(({ choices }) => choices[0]?.delta.content ?? []);

  it('is said when it is whole', () => {
    const w = writer();
    expect(saidIn(w.frames([text(`a${high}`)]))).toEqual(['', 'a']);
    expect(w.frames([text('')])).toBe('');
    expect(saidIn(w.frames([text(`${low}b`)]))).toEqual(['👋b']);
    expect(saidIn(writer().frames([text(high), text(low)]))).toEqual(['', '👋']);
  });

  it('is held per choice, and for arguments too', () => {
    const w = writer({ choices: 2 });
    expect(w.frames([text(high)])).toBe('');
    expect(w.frames([{ k: 'text', c: 1, x: 'b', n: 1 }])).toContain('"content":"b"');
    expect(saidIn(w.frames([text(low)]))).toEqual(['', '👋']);
    const calling = writer();
    const [, , piece] = chunksIn(calling.frames([call(0), args(0, `"${high}`)]) + calling.frames([args(0, `${low}"`)]));
    expect(piece?.choices[0]?.delta.tool_calls?.[0]?.function.arguments).toBe('"');
  });

  it.each<[string, StreamEvent[], string]>([
    ['the answer ends', [text(high), fin()], '\ufffd'],
    ['reasoning follows', [text(high), { k: 'think', x: 'x', n: 1 }], '\ufffd'],
    ['a call follows', [text(high), call(0)], '\ufffd'],
    ['something else follows', [text(`${high}x`)], '\ufffdx'],
    ['only its second half comes', [text(`${low}x`)], '\ufffdx'],
  ])('and has only one, because %s, is replaced', (_, events, expected) => {
    const frames = writer().frames(events);
    expect(frames).not.toMatch(/\\ud[89a-f]/);
    expect(saidIn(frames).join('')).toBe(expected);
  });

  it('is not confused with text about escapes', () => {
    expect(saidIn(writer().frames([text('the escape \\ud83d')])).join('')).toBe('the escape \\ud83d');
  });
});
