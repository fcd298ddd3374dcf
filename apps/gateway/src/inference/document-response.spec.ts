import { EventEmitter } from 'node:events';
import { type EndFrame, ServiceError } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { sendError } from '../http/error-response.js';
import type { RequestContext } from '../http/request-context.js';
import { MemoryShares } from '../memory/memory-shares.js';
import { InferenceLine } from '../observability/inference-line.js';
import { chatErrors } from '../surfaces/chat/errors.js';
import { ChatWriter } from '../surfaces/chat/events.js';
import { DOCUMENT_BYTES_MAX, DocumentResponse, reserveDocument } from './document-response.js';
import { RELAY_TIMES } from './relayed-response.js';

const MIB = 1024 * 1024;

const end = {
  k: 'end',
  q: 2,
  fin: 'done',
  usage: { prompt: 1, cached: 0, completion: 1 },
  sum: 0,
  tm: { queue: 0, prefill: 0, total: 0 },
} as EndFrame;

describe('an answer that is not streamed', () => {
  const sent = { status: 0, headers: {} as Record<string, unknown>, text: '', ended: false, destroyed: false };
  let answer: DocumentResponse;
  let answers: MemoryShares;
  let context: RequestContext;
  let writer: ChatWriter;

  beforeEach(() => {
    answers = new MemoryShares({ bytes: 400 * MIB, shareBytes: 100 * MIB });
    Object.assign(sent, { status: 0, headers: {}, text: '', ended: false, destroyed: false });
    const response = {
      socket: { bytesWritten: 0, writableLength: 0 },
      writableLength: 0,
      get headersSent() {
        return sent.status > 0;
      },
      writeHead: (status: number, headers: Record<string, unknown>) => Object.assign(sent, { status, headers }),
      write: (text: string) => (sent.text += text),
      end: (text: unknown) => {
        sent.text += String(text);
        sent.ended = true;
      },
      destroy: () => (sent.destroyed = true),
    };
    context = {
      id: 'req_1',
      request: { complete: true },
      response,
      format: chatErrors,
      line: new InferenceLine('req_1'),
    } as unknown as RequestContext;
    writer = new ChatWriter({ id: 'chatcmpl-1', model: 'm', created: 1, usage: 'none', choices: 1, logprobs: false, oneCall: false });
    answer = new DocumentResponse({ context, writer, times: RELAY_TIMES, cut: () => undefined, hold: answers.open(1) });
    answer.events([{ k: 'text', x: 'Hello', n: 1 }]);
  });

  it('reserves memory as it grows, and fails alone', () => {
    const others = answers.open(1);
    others.take(99 * MIB);
    answer.events([{ k: 'text', x: 'x'.repeat(MIB / 4), n: 1 }]);
    const more = (): void => answer.events([{ k: 'text', x: 'x'.repeat(MIB), n: 1 }]);
    expect(more).toThrow(expect.objectContaining({ code: 'overloaded' }) as Error);
    expect(answers.open(2).take(99 * MIB)).toBe('taken');
  });

  it('fails without memory, and releases it when over', () => {
    const response = new EventEmitter();
    const request = { caller: { account: { id: 1 } }, response } as unknown as Parameters<typeof reserveDocument>[1];
    const others = answers.open(1);
    others.take(100 * MIB - 64 * 1024);
    reserveDocument(answers, request);
    expect(() => reserveDocument(answers, request)).toThrow('is used up');
    response.emit('close');
    reserveDocument(answers, request);
  });

  it('is one document of known length', () => {
    expect(sent.status).toBe(0);
    answer.events([{ k: 'fin', r: 'stop' }]);
    answer.end(end);
    expect(sent).toMatchObject({
      status: 200,
      ended: true,
      headers: { 'content-type': 'application/json', 'content-length': sent.text.length },
    });
    expect(JSON.parse(sent.text)).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  });

  it('is not sent where it failed while it was stored', async () => {
    let store: (document: string) => void = () => undefined;
    Object.assign(writer, { document: () => new Promise<string>((resolve) => (store = resolve)) });
    answer.end(end);
    sendError(context, new ServiceError('server_shutting_down', 'The gateway is shutting down.'));
    const failed = { ...sent };
    store('{}');
    await Promise.resolve();
    expect(sent).toEqual(failed);
    expect(failed).toMatchObject({ status: 503, ended: true });
  });

  it('sends blanks after two minutes and stays valid JSON', () => {
    const now = performance.now();
    answer.tick(now + 119_000);
    expect(sent.status).toBe(0);
    for (const seconds of [121, 125, 137, 140, 153]) answer.tick(now + seconds * 1_000);
    expect(sent).toMatchObject({ status: 200, text: '   ' });
    expect(sent.headers).not.toHaveProperty('content-length');
    answer.events([{ k: 'fin', r: 'stop' }]);
    answer.end(end);
    expect(JSON.parse(sent.text)).toMatchObject({ object: 'chat.completion' });
  });

  it('fails when it grows too large', () => {
    const x = 'x'.repeat(DOCUMENT_BYTES_MAX / 8);
    for (let i = 0; i < 3; i += 1) answer.events([{ k: 'text', x, n: 1 }]);
    expect(() => answer.events([{ k: 'text', x, n: 1 }])).toThrow(ServiceError);
  });

  it('fails with too many token probabilities', () => {
    const top = Array.from({ length: 20 }, () => ({ t: 'x', p: -1 }));
    const event = { k: 'text' as const, x: '', n: 1, lp: Array.from({ length: 1_000 }, () => ({ t: 'x', p: -1, top })) };
    const takeAll = (): void => {
      for (let i = 0; i < 100; i += 1) answer.events([event]);
    };
    expect(takeAll).toThrow(ServiceError);
  });

  it('that fails has the status of its failure', () => {
    answer.fail(new ServiceError('worker_lost', 'Lost.'));
    expect(sent).toMatchObject({ status: 502, destroyed: false });
  });

  it('that fails after its status breaks the connection', () => {
    answer.tick(performance.now() + 121_000);
    answer.fail(new ServiceError('worker_lost', 'Lost.'));
    expect(sent).toMatchObject({ status: 200, ended: false, destroyed: true });
  });
});
