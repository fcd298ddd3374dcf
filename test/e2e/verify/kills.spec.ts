import { chatStream, ScriptedUpstream } from '@slipway/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../testing/is-alive.js';
import { type Stack, startStack } from '../stack.js';
import { type StreamedAnswer, streamedAnswer } from '../streamed-answer.js';

const STREAMS = 10;
const TOKENS = 120;
const TOKEN_MS = 30;

/** The upstream's answer to a question: numbered words unique to it. */
const words = (question: string): string[] => Array.from({ length: TOKENS }, (_, i) => `${question}-${i} `);

const questionOf = (body: unknown): string => {
  const { messages } = body as { messages: { content: string }[] };
  return messages.at(-1)?.content ?? '';
};

const slowly = (question: string) => {
  const script = chatStream(words(question));
  return { ...script, steps: script.steps.flatMap((step) => [{ pauseMs: TOKEN_MS }, step]) };
};

describe('ten streams of the official SDK over two gateways and three workers', () => {
  let upstream: ScriptedUpstream;
  let stack: Stack;

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start((request) => slowly(questionOf(request.body)));
    const options = ['--upstream', upstream.url, '--upstream-model', 'scripted', '--gateways', '2', '--workers', '3'];
    stack = await startStack(options);
  });
  afterAll(async () => {
    await stack.stop();
    await upstream.stop();
  });

  const pidsOf = (prefix: string): number[] => stack.processes.filter(({ name }) => name.startsWith(prefix)).map(({ pid }) => pid);

  /** Opens all streams; resolves once each has its first tokens. */
  async function underWay(run: string): Promise<{ questions: string[]; answers: Promise<StreamedAnswer>[] }> {
    const questions = Array.from({ length: STREAMS }, (_, i) => `${run}${i}`);
    const started = new Set<string>();
    const answers = questions.map((question, i) => {
      const baseURL = `${stack.gateways[i % stack.gateways.length] ?? ''}/${stack.alias}/v1`;
      const client = new OpenAI({ baseURL, apiKey: stack.key ?? '', maxRetries: 0 });
      return streamedAnswer(client, 'demo', [{ role: 'user', content: question }], () => started.add(question));
    });
    await expect.poll(() => started.size, { timeout: 30_000 }).toBe(STREAMS);
    return { questions, answers };
  }

  const isWhole = (question: string, answer: StreamedAnswer | undefined): boolean =>
    answer?.error === null && answer.finish === 'stop' && answer.text === words(question).join('');

  it('finish word for word without faults', async () => {
    const { questions, answers } = await underWay('calm');
    const texts = await Promise.all(answers);
    expect(texts.map((answer, i) => isWhole(questions[i] ?? '', answer))).toEqual(questions.map(() => true));
  });

  it('finish when nats-server is killed and restarted', async () => {
    const { questions, answers } = await underWay('nats');
    const [pid = 0] = pidsOf('nats-server');
    process.kill(pid, 'SIGKILL');
    const texts = await Promise.all(answers);
    expect(texts.map((answer, i) => isWhole(questions[i] ?? '', answer))).toEqual(questions.map(() => true));
    expect(isAlive(pid)).toBe(false);
  });

  it('finish or raise when a worker is killed', async () => {
    const { questions, answers } = await underWay('worker');
    // An HTTP engine is served by two of the three agents, so two kills hit at least one of them.
    for (const pid of [...pidsOf('worker-1'), ...pidsOf('worker-2')]) process.kill(pid, 'SIGKILL');
    const texts = await Promise.all(answers);
    for (const [i, answer] of texts.entries()) {
      const question = questions[i] ?? '';
      const raised = answer.error instanceof OpenAI.APIError && answer.finish === null;
      expect(raised || isWhole(question, answer)).toBe(true);
      expect(words(question).join('').startsWith(answer.text)).toBe(true);
    }
    expect(texts.some((answer) => answer.error !== null)).toBe(true);
  });

  it('are served again by restarted workers', async () => {
    await expect
      .poll(
        async () => {
          const client = new OpenAI({ baseURL: `${stack.base_url}/${stack.alias}/v1`, apiKey: stack.key ?? '', maxRetries: 0 });
          return (await streamedAnswer(client, 'demo', [{ role: 'user', content: 'again' }])).finish;
        },
        { timeout: 30_000 },
      )
      .toBe('stop');
  });

  it('stop at the upstream when their clients leave', async () => {
    const { answers } = await underWay('again');
    await Promise.all(answers);
    const client = new OpenAI({ baseURL: `${stack.base_url}/${stack.alias}/v1`, apiKey: stack.key ?? '', maxRetries: 0 });
    const leaving = await Promise.all(
      Array.from({ length: STREAMS }, (_, i) =>
        client.chat.completions.create({ model: 'demo', stream: true, messages: [{ role: 'user', content: `leave${i}` }] }),
      ),
    );
    await expect.poll(() => upstream.live).toBe(STREAMS);
    for (const stream of leaving) stream.controller.abort();
    await expect.poll(() => upstream.live, { timeout: 5_000 }).toBe(0);
  });
});
