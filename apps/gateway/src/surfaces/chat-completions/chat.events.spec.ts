import type { EndFrame, StreamEvent } from '@slipway/contracts';
import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ChatWriter } from './chat.events.js';

const writer = (includeUsage = false): ChatWriter =>
  new ChatWriter({ id: 'chatcmpl-1', model: 'deployment-1', created: 1_700_000_000, includeUsage });
const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const fin = (r: Extract<StreamEvent, { k: 'fin' }>['r'] = 'stop'): StreamEvent => ({ k: 'fin', r });
const end = {
  k: 'end',
  q: 4,
  fin: 'done',
  usage: { prompt: 9, cached: 4, completion: 3 },
  sum: 0,
  tm: { queue: 0, prefill: 0, total: 0 },
} as EndFrame;

const BASE = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"deployment-1"';
const chunk = (delta: string, finish = 'null', tail = ''): string =>
  `data: {${BASE},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${tail}}\n\n`;
const ROLE = chunk('{"role":"assistant","content":""}');

describe('the chunks of a chat stream', () => {
  it('are role, content, finish and the end mark, to the byte', () => {
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

  it('end with one usage chunk without choices when usage was asked for', () => {
    const w = writer(true);
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

  it('hold texts that go out together in one chunk, and keep reasoning apart', () => {
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

  it('of a failure are one frame with nothing but the error', () => {
    const frame = writer().errorFrame(new ServiceError('worker_lost', 'Lost.'));
    expect(frame).toBe('data: {"error":{"message":"Lost.","type":"server_error","param":null,"code":"worker_lost"}}\n\n');
  });

  it('never end well when the model did not say why it stopped', () => {
    const w = writer();
    w.frames([text('half')]);
    expect(() => w.lastFrames(end)).toThrow(ServiceError);
  });
});

describe('a chat completion', () => {
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

  it('keeps reasoning apart', () => {
    const w = writer();
    w.collect([{ k: 'think', x: 'hm', n: 1 }, text('a'), fin()]);
    expect(JSON.parse(w.document(end))).toMatchObject({ choices: [{ message: { content: 'a', reasoning_content: 'hm' } }] });
  });

  it('is none when the model did not say why it stopped', () => {
    const w = writer();
    w.collect([text('half')]);
    expect(() => w.document(end)).toThrow(ServiceError);
  });
});
