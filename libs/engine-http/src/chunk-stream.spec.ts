import { describe, expect, it } from 'vitest';
import { ChunkStream } from './chunk-stream.js';
import { EventRoom, SseReader } from './sse-reader.js';
import { readChunk, type UpstreamChunk } from './upstream-chunk.js';

const share = () => new EventRoom({ perAccount: 64 * 1024 * 1024, inAll: 64 * 1024 * 1024 }).of(null);

interface Reading {
  readonly chunks: readonly UpstreamChunk[];
  readonly failure: string | null;
}

/** What the parsers alone make of these pieces. */
function byParsers(pieces: readonly Uint8Array[]): Reading {
  const reader = new SseReader(share());
  const chunks: UpstreamChunk[] = [];
  let done = false;
  const take = (data: string): void => {
    done ||= data === '[DONE]';
    if (!done && data !== '') chunks.push(readChunk(data));
  };
  try {
    for (const piece of pieces) for (const data of reader.feed(piece)) take(data.trim());
  } catch (error) {
    return { chunks, failure: String(error) };
  }
  return { chunks, failure: null };
}

function byShapes(pieces: readonly Uint8Array[]): Reading {
  const stream = new ChunkStream(share());
  const chunks: UpstreamChunk[] = [];
  try {
    for (const piece of pieces) stream.feed(piece, (chunk) => chunks.push(chunk));
  } catch (error) {
    return { chunks, failure: String(error) };
  }
  return { chunks, failure: null };
}

/** A generator with a seed (mulberry32), so that a failure can be run again. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const WORDS = [
  'The',
  ' code',
  ' is',
  '.',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  '\t',
  'é',
  '中文',
  '🙂',
  ' ',
  'content',
  'x',
  '":"',
  '\u2028',
  '\u007f',
  '[DONE]',
  '{"',
];

type Chunker = (text: string, token: number) => string;

const frame = (text: unknown, more: object = {}, delta = 'content'): string =>
  JSON.stringify({ id: 'cmpl-1', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { [delta]: text }, ...more }] });

/** Streams as engines write them, and some that none should. */
const SERVERS: Record<string, Chunker> = {
  vllm: (text) => `data: ${frame(text, { logprobs: null, finish_reason: null })}\n\n`,
  'one that thinks': (text, token) => `data: ${frame(text, {}, token < 9 ? 'reasoning_content' : 'content')}\n\n`,
  'one with the time': (text, token) => `data: ${frame(text, { at: token >> 2 })}\n\n`,
  'one with an id for each event': (text, token) => `id: ${token}\ndata: ${frame(text)}\n\n`,
  'one that names its events': (text) => `event: message\ndata: ${frame(text)}\n\n`,
  'one with carriage returns': (text) => `data: ${frame(text)}\r\n\r\n`,
  'one that speaks ASCII': (text) =>
    `data: ${frame(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n\n`,
  'one with comments': (text, token) => `${token % 3 === 0 ? ': waiting\n\n' : ''}data:${frame(text)}\n\n`,
  'one of many lines': (text) => `data: ${frame(text).replace(',', ',\ndata: ')}\n\n`,
  'one with usage in each chunk': (text) => `data: ${frame(text).slice(0, -1)},"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n`,
  'one that counts': (text, token) => `data: ${frame(text).slice(0, -1)},"usage":{"completion_tokens":${token}}}\n\n`,
  'one that says its text twice': (text) =>
    `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)},"content":${JSON.stringify(text)}}}]}\n\n`,
  'one with two choices': (text, token) => `data: ${frame(text).replace('"index":0', `"index":${token % 2}`)}\n\n`,
  'one that fails': (text, token) => (token === 12 ? `data: {"error":{"message":"lost"}}\n\n` : `data: ${frame(text)}\n\n`),
};

function streamOf(server: Chunker, random: (below: number) => number): Buffer {
  const texts = Array.from({ length: 8 + random(24) }, () =>
    Array.from({ length: 1 + random(2) }, () => WORDS[random(WORDS.length)]!).join(''),
  );
  const end = `data: ${frame('', { finish_reason: 'stop' })}\n\ndata: [DONE]\n\n`;
  return Buffer.from((random(8) === 0 ? '\ufeff' : '') + texts.map(server).join('') + end);
}

/** Whole events, or cut anywhere. */
function piecesOf(bytes: Buffer, random: (below: number) => number): Uint8Array[] {
  if (random(2) === 0) {
    const events = bytes.toString('latin1').split(/(?<=\n\r?\n)/);
    const together = 1 + random(3);
    return Array.from({ length: Math.ceil(events.length / together) }, (_, i) =>
      Buffer.from(events.slice(i * together, (i + 1) * together).join(''), 'latin1'),
    );
  }
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(300);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** Changes some bytes, or none. */
function mutated(bytes: Buffer, random: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const times = Math.max(0, random(4) - 1);
  for (let i = 0; i < times; i += 1) copy[random(copy.length)] = random(2) === 0 ? random(256) : '"\\{}:,\n\r '.charCodeAt(random(9));
  return copy;
}

describe('ChunkStream', () => {
  it.each(Object.entries(SERVERS))('reads %s as the parsers do, also when broken', (_name, server) => {
    for (let seed = 0; seed < 60; seed += 1) {
      const random = randomOf(seed);
      const pieces = piecesOf(mutated(streamOf(server, random), random), random);
      expect(byShapes(pieces), `seed ${seed}`).toEqual(byParsers(pieces));
    }
  });

  it('hands on what came before broken bytes', () => {
    const stream = new ChunkStream(share());
    const texts: string[] = [];
    const feed = (text: string) => stream.feed(Buffer.from(text), ({ choices }) => texts.push(choices[0]!.text));
    feed(`data: ${frame('a')}\n\n`);
    expect(() => feed(`data: ${frame('b')}\n\ndata: ${frame('c')}\n\ndata: {\n\n`)).toThrow('not JSON');
    expect(texts).toEqual(['a', 'b', 'c']);
  });

  it('drops what follows [DONE]', () => {
    const stream = new ChunkStream(share());
    const texts: string[] = [];
    for (const text of ['a', 'b']) stream.feed(Buffer.from(`data: ${frame(text)}\n\n`), ({ choices }) => texts.push(choices[0]!.text));
    stream.feed(Buffer.from(`data: [DONE]\n\ndata: ${frame('c')}\n\n`), () => texts.push('late'));
    stream.feed(Buffer.from(`data: ${frame('d')}\n\n`), () => texts.push('late'));
    expect([texts, stream.done]).toEqual([['a', 'b'], true]);
  });

  it('says whether an event is open', () => {
    const stream = new ChunkStream(share());
    const event = `data: ${frame('a')}\n\n`;
    const insides = [event, event, event.slice(0, 20), event.slice(20), event].map((piece) => {
      stream.feed(Buffer.from(piece), () => undefined);
      return stream.inside;
    });
    expect(insides).toEqual([false, false, true, false, false]);
  });
});
