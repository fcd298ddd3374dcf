import { ServiceError, type StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { args, call, chunk, chunksIn, end, fin, lp, ROLE, text, writer } from './events.samples.js';

describe('the chunks of a chat stream', () => {
  it('are role, content, finish and end mark exactly', () => {
    const w = writer();
    const frames = [
      w.frames([{ k: 'start', prompt: 9, cached: 4 }]),
      w.frames([text('Hel')]),
      w.frames([text('lo')]),
      w.frames([fin()]),
      w.lastFrames(end),
    ];
    expect(frames).toEqual([
      '',
      ROLE + chunk('{"content":"Hel"}'),
      chunk('{"content":"lo"}'),
      '',
      `${chunk('{}', '"stop"')}data: [DONE]\n\n`,
    ]);
  });

  it('end with one usage chunk on request', () => {
    const w = writer({ usage: 'last' });
    const frames = w.frames([text('Hi')]) + w.frames([fin('length')]) + w.lastFrames(end);
    const chunks = frames
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice(6)) as { choices: unknown[]; usage: unknown });
    expect(chunks.map(({ usage }) => usage === null)).toEqual([true, true, true, false]);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: { cached_tokens: 4 } },
    });
    expect(frames.endsWith('}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('carry no usage key when it was not', () => {
    const w = writer();
    expect(w.frames([text('Hi'), fin()]) + w.lastFrames(end)).not.toContain('usage');
  });

  it('merge adjacent texts, and keep reasoning separate', () => {
    const w = writer();
    const events: StreamEvent[] = [{ k: 'think', x: 'hm', n: 1 }, { k: 'think', x: 'm', n: 1 }, text('a'), text('b'), fin()];
    expect(w.frames(events)).toBe(ROLE + chunk('{"reasoning_content":"hmm"}') + chunk('{"content":"ab"}'));
  });

  it('leave out events without text', () => {
    const w = writer();
    expect(w.frames([text('')])).toBe('');
    expect(w.frames([text('a')])).toBe(ROLE + chunk('{"content":"a"}'));
  });

  it('of an empty answer still open and finish', () => {
    const w = writer();
    expect(w.frames([fin()]) + w.lastFrames(end)).toBe(`${ROLE}${chunk('{}', '"stop"')}data: [DONE]\n\n`);
  });

  it.each([
    ['stop', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_calls', 'tool_calls'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ] as const)('finish with %s as %s', (reason, expected) => {
    const w = writer();
    expect(w.frames([fin(reason)])).not.toContain('finish_reason":"');
    expect(w.lastFrames(end)).toContain(`"finish_reason":"${expected}"`);
  });

  it('stay one line each, whatever the model says', () => {
    const hostile = 'x\n\ndata: [DONE]\n\n\r\nevent: y\u2028"\\';
    const frames = writer().frames([text(hostile)]);
    expect(frames.split('\n\n')).toHaveLength(3);
    const last = JSON.parse(frames.split('\n\n')[1]!.slice(6)) as { choices: { delta: { content: string } }[] };
    expect(last.choices[0]?.delta.content).toBe(hostile);
  });

  it('carry counts in each chunk once they are known', () => {
    const w = writer({ usage: 'each' });
    const frames = w.frames([text('a')]) + w.frames([{ k: 'start', prompt: 9, cached: 4 }, text('b'), { k: 'think', x: 'c', n: 2 }, fin()]);
    expect(chunksIn(frames + w.lastFrames(end)).map(({ usage }) => usage?.['completion_tokens'] ?? null)).toEqual([null, null, 2, 4, 3, 3]);
    expect(chunksIn(w.lastFrames(end)).map(({ usage }) => usage?.['prompt_tokens'])).toEqual([9, 9]);
  });

  it('of a failure are one error frame', () => {
    const frame = writer().errorFrame(new ServiceError('worker_lost', 'Lost.'));
    expect(frame).toBe('data: {"error":{"message":"Lost.","type":"server_error","param":null,"code":"worker_lost"}}\n\n');
  });

  it('never end well without a finish reason', () => {
    const w = writer();
    w.frames([text('half')]);
    expect(() => w.lastFrames(end)).toThrow(ServiceError);
  });
});

describe('the choices of a chat completion', () => {
  it('holds calls, and null where nothing else was said', () => {
    const w = writer();
    w.collect([{ k: 'start' }, call(0), args(0, '{"a"'), args(0, ':1}'), call(1), args(1, '{}'), fin('tool_calls')]);
    const calls = ['{"a":1}', '{}'].map((x, i) => ({ id: `call_${i}`, type: 'function', function: { name: `f${i}`, arguments: x } }));
    expect((JSON.parse(w.document(end)) as { choices: unknown[] }).choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, tool_calls: calls },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('holds each choice’s finish, and one usage', () => {
    const w = writer({ choices: 2, logprobs: true });
    w.collect([{ k: 'text', c: 1, x: 'b', n: 1, lp: [lp('b')] }, text('a'), { k: 'fin', c: 1, r: 'length' }, fin()]);
    w.collect([{ k: 'text', c: 2, x: 'c', n: 1 }]);
    const { choices, usage } = JSON.parse(w.document(end)) as { choices: object[]; usage: object };
    expect(choices).toMatchObject([
      { index: 0, message: { content: 'a' }, finish_reason: 'stop', logprobs: { content: [] } },
      { index: 1, message: { content: 'b' }, finish_reason: 'length', logprobs: { content: [{ token: 'b', logprob: -0.5 }] } },
    ]);
    expect(choices).toHaveLength(2);
    expect(usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 });
  });

  it('is none before all of its choices ended', () => {
    const w = writer({ choices: 2 });
    w.collect([text('a'), fin()]);
    expect(() => w.document(end)).toThrow(ServiceError);
  });

  it('holds whole characters, however they came', () => {
    const w = writer();
    w.collect([text('👋'.slice(0, 1)), text('👋'.slice(1)), text('\ud800'), fin()]);
    expect(JSON.parse(w.document(end))).toMatchObject({ choices: [{ message: { content: '👋\ufffd' } }] });
  });

  it('holds the whole answer, to the byte', () => {
    const w = writer();
    w.collect([{ k: 'start' }, text('Hel'), text('lo')]);
    w.collect([fin('length')]);
    const usage =
      '{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}';
    const message = '{"role":"assistant","content":"Hello","refusal":null}';
    expect(w.document(end)).toBe(
      `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"deployment-1","choices":[{"index":0,"message":${message},"logprobs":null,"finish_reason":"length"}],"usage":${usage}}`,
    );
  });

  it('keeps reasoning in its own field', () => {
    const w = writer();
    w.collect([{ k: 'think', x: 'hm', n: 1 }, text('a'), fin()]);
    expect(JSON.parse(w.document(end))).toMatchObject({ choices: [{ message: { content: 'a', reasoning_content: 'hm' } }] });
  });

  it('is an error without a finish reason', () => {
    const w = writer();
    w.collect([text('half')]);
    expect(() => w.document(end)).toThrow(ServiceError);
  });
});
