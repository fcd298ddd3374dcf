import type { CanonicalRequest } from '@slipway/contracts';
import { factsOf } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import { FLAVOURS } from './flavour.js';
import { prepareInThread, type PrepareOutcome, prepareWithoutTexts } from './prepare-task.js';
import { bodyOf, type PreparedCount, type PreparedRequest } from './prepared-request.js';
import { requestBody } from './request-body.js';

const server = { model: 'm', flavour: 'vllm' as const, caps: FLAVOURS.vllm.caps };
const request: CanonicalRequest = {
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'é "quoted"\nand more' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'A' }], tool_calls: [{ id: 'c', name: 'f', arguments: '{"x":1}' }] },
    { role: 'tool', content: [{ type: 'text', text: 'R' }], tool_call_id: 'c' },
  ],
  sampling: { temperature: 0.5, seed: 3 },
  stop: ['END'],
  max_tokens: 9,
  n: 2,
  tools: [{ name: 'f' }],
  parallel_tool_calls: false,
};
const startOf = (req: unknown): Uint8Array =>
  Buffer.from(JSON.stringify({ st: 's', at: 1, dep: 7, rev: 1, api: 'chat', caps: [], req, later: 'unknown' }));

function preparedOf<P>(outcome: PrepareOutcome): P {
  if (outcome.kind !== 'prepared') throw new Error(JSON.stringify(outcome));
  // What it was asked for.
  return outcome.prepared as P;
}

describe('a start that is read apart', () => {
  it('becomes the body that the request itself would become, with the limit that is put in later', () => {
    const prepared = preparedOf<PreparedRequest>(prepareInThread({ kind: 'request', start: startOf(request), options: server }));
    for (const maxTokens of [null, 5]) {
      const body = Buffer.concat(bodyOf(prepared.pieces, maxTokens) as Uint8Array[]).toString('utf8');
      expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(requestBody(request, { ...server, maxTokens }))));
    }
    expect(prepared).toMatchObject({ facts: factsOf(request), wishes: { stops: ['END'], calls: 1, logprobs: null }, images: [] });
    expect(prepared.facts).toEqual({ promptBytes: expect.any(Number), images: 0, maxTokens: 9, choices: 2 });
  });

  it('is counted without its images, and not sent where it is too long', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'image', url: 'https://images.example/a.png' },
    ];
    const start = startOf({ ...request, messages: [{ role: 'user', content }] });
    const options = { ...server, strategy: 'vllm-tokenize' as const, maxBytes: 1_000 };
    const asked = preparedOf<PreparedCount>(prepareInThread({ kind: 'count', start, options }));
    expect(JSON.parse(Buffer.from(asked.body ?? '').toString('utf8'))).toMatchObject({ messages: [{ role: 'user', content: 'x' }] });
    expect(asked).toMatchObject({ facts: { images: 1 }, isFaithful: false });
    const long = preparedOf<PreparedCount>(prepareInThread({ kind: 'count', start, options: { ...options, maxBytes: 0 } }));
    expect(long.body).toBeNull();
  });

  it('is refused for what its server cannot do, and where it cannot be read', () => {
    const options = { ...server, caps: [] };
    expect(prepareInThread({ kind: 'request', start: startOf(request), options })).toMatchObject({
      kind: 'refused',
      code: 'unsupported_parameter',
      options: { param: 'tools' },
    });
    for (const start of [startOf({ messages: [] }), Buffer.from('{'), Buffer.from([0xff])]) {
      expect(prepareInThread({ kind: 'request', start, options: server })).toMatchObject({ kind: 'refused', code: 'internal' });
    }
  });
});

const LONG = 'Größe "x"\n😀 lorem ipsum '.repeat(200);
const long: CanonicalRequest = {
  ...request,
  messages: [
    { role: 'system', content: [{ type: 'text', text: LONG }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: `${LONG}?` },
        { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
      ],
    },
    ...request.messages.slice(1),
    { role: 'user', content: [{ type: 'text', text: 'short' }] },
  ],
};

const longer: CanonicalRequest = {
  ...long,
  messages: [LONG, LONG.repeat(20), 'short', LONG.repeat(8)].map((text) => ({ role: 'user', content: [{ type: 'text', text }] })),
};

describe('a start that is prepared without its texts', () => {
  it('becomes what a thread makes of it', () => {
    for (const req of [
      long,
      { ...long, messages: long.messages.slice(0, 1) },
      { ...long, n: 1, tools: undefined, output: { kind: 'json_object' } },
      longer,
    ]) {
      const start = startOf(req);
      const { pieces: expected, ...others } = preparedOf<PreparedRequest>(prepareInThread({ kind: 'request', start, options: server }));
      const { pieces = [], ...found } = prepareWithoutTexts(start, server) ?? {};
      expect(found).toEqual(others);
      const [body, whole] = [pieces, expected].map((list) => Buffer.concat(bodyOf(list, 5) as Uint8Array[]).toString());
      expect(body).toBe(whole);
    }
  });

  it('is sent in few pieces, of which the long ones are not copied', () => {
    const start = startOf(longer);
    const { pieces = [] } = prepareWithoutTexts(start, server) ?? {};
    const isInPlace = pieces.map((piece) => typeof piece !== 'string' && piece.buffer === start.buffer && piece.length > 40_000);
    expect(isInPlace).toEqual([false, true, false, true, false]);
    expect(bodyOf(pieces, 5)).toHaveLength(5);
  });

  it('is left to a thread where a text of it is needed, or too much stands beside', () => {
    const parts = (...content: object[]): object => ({ ...long, messages: [...long.messages, { role: 'user', content }] });
    const answered = { role: 'assistant', content: [{ type: 'text', text: LONG }] };
    for (const req of [
      request,
      parts({ type: 'image', url: 'https://images.example/a.png' }),
      { ...long, continue_final: true, messages: [...long.messages, answered] },
      { ...long, stop: [LONG.repeat(20)] },
      parts({ type: 'text', text: LONG.repeat(300) }),
    ]) {
      expect(prepareWithoutTexts(startOf(req), server)).toBeNull();
    }
  });

  it('is refused for what its server cannot do, and where it cannot be read', () => {
    expect(() => prepareWithoutTexts(startOf(long), { ...server, caps: [] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter' }),
    );
    const unknown = startOf({ ...long, messages: [...long.messages, { role: 'nobody', content: [] }] });
    expect(() => prepareWithoutTexts(unknown, server)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
