import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServiceError, type StreamEvent } from '@slipway/contracts';
import { createLogger } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { AnswerRelay } from './answer-relay.js';
import { HttpGeneration } from './http-generation.js';
import type { UpstreamClient } from './upstream-client.js';
import type { BodySink, UpstreamAnswer } from './upstream-exchange.js';

const token = (content: string, finish: string | null = null): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`);

/** A body, and whether anything still holds it. */
function requestBody(): { body: () => string; isKept: () => boolean } {
  const text = { json: '{}' };
  const kept = new WeakRef(text);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const isKept = (): boolean => {
    collect();
    return kept.deref() !== undefined;
  };
  return { body: bodyOf.bind(null, text), isKept };
}

const bodyOf = ({ json }: { json: string }): string => json;

/** A generation whose upstream answers as the script says; `steps` holds what was handed on in each turn, `lines` what was logged. */
function generation(
  script: (sink: BodySink) => Promise<string> | Promise<void> | void,
  type = 'text/event-stream',
): { steps: StreamEvent[][]; lines: string[]; run: HttpGeneration['run']; holdsRequest: () => boolean } {
  const header = (name: string): string | undefined => (name === 'content-type' ? type : undefined);
  const lines: string[] = [];
  const steps: StreamEvent[][] = [];
  const relay = new AnswerRelay({
    output: { account: null, phase: () => undefined, events: (events) => void steps.push([...events]) },
    choices: 1,
    countsApart: false,
    estimatedPrompt: 1,
    stops: [],
    tellsStop: true,
    calls: null,
    logprobs: null,
    echo: '',
  });
  const converse = async (_path: string, _body: string, { sink }: { sink: BodySink }): Promise<UpstreamAnswer> => {
    sink.begins(200, header);
    const text = (await script(sink)) ?? '';
    return { status: 200, header, text };
  };
  const options = {
    client: { converse } as unknown as UpstreamClient,
    relay,
    endMs: 60_000,
    room: { take: () => false, give: () => undefined },
    pace: { take: () => true },
    log: createLogger('test', 'silent', (line) => void lines.push(line)),
    answersAs: null,
    sent: () => ['a secret prompt'],
    controller: new AbortController(),
  };
  const { body, isKept } = requestBody();
  const http = new HttpGeneration(options, body);
  return { steps, lines, run: () => http.run(), holdsRequest: isKept };
}

const texts = (steps: readonly StreamEvent[][]): string[] => steps.flat().flatMap((event) => (event.k === 'text' ? [event.x] : []));

describe('an answer of an HTTP engine', () => {
  it('holds its request no longer than until it begins', async () => {
    const { run, holdsRequest } = generation(async (sink) => {
      // A turn of its own: what a turn has seen of a reference stays until it ends.
      await new Promise(setImmediate);
      expect(holdsRequest()).toBe(false);
      sink.bytes(token('a', 'stop'));
    });
    await run();
  });

  it('goes on as one step where its HTTP chunks arrive together', async () => {
    const { steps, run } = generation((sink) => {
      for (let i = 0; i < 63; i += 1) sink.bytes(token('a'));
      sink.bytes(token('a', 'stop'));
    });
    await run();
    expect(steps).toHaveLength(1);
    expect(texts(steps)).toEqual(['a'.repeat(64)]);
  });

  it('goes on at once where its HTTP chunks arrive apart', async () => {
    const seen: number[] = [];
    const { steps, run } = generation(async (sink) => {
      for (const content of ['one', 'two']) {
        sink.bytes(token(content));
        await new Promise(setImmediate);
        seen.push(steps.length);
      }
      sink.bytes(token('', 'stop'));
    });
    await run();
    expect(seen).toEqual([1, 2]);
    expect(texts(steps)).toEqual(['one', 'two']);
  });

  it('is handed on up to the fault that ends it', async () => {
    const { steps, run } = generation((sink) => {
      sink.bytes(token('whole'));
      sink.bytes(Buffer.from('data: {"error":{"message":"out of memory"}}\n\n'));
    });
    await expect(run()).rejects.toBeInstanceOf(ServiceError);
    expect(texts(steps)).toEqual(['whole']);
  });

  const BROKEN = { error: { message: 'CUDA out of memory for "a secret prompt"', code: 507 } };
  const event = Buffer.from(`data: ${JSON.stringify(BROKEN)}\n\n`);

  it.each<[string, Parameters<typeof generation>]>([
    ['before its first token', [(sink) => void sink.bytes(event)]],
    [
      'after its first token',
      [
        (sink) => {
          sink.bytes(token('a'));
          sink.bytes(event);
        },
      ],
    ],
    ['in place of a stream', [() => Promise.resolve(JSON.stringify(BROKEN)), 'application/json']],
  ])('that fails %s has in the log what its engine said, without what it quotes', async (_, args) => {
    const { lines, run } = generation(...args);
    await expect(run()).rejects.toMatchObject({ code: 'engine_error' });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ event: 'upstream.refused', level: 'warn', status: 507, said: 'CUDA out of memory for "…"' }),
    ]);
  });
});
