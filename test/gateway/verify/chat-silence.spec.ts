import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunksOf, fin, text } from '../chat-chunks.js';
import { Door } from '../door.js';
import { CONTRACTS } from '../expect-row.js';
import { pause, usageOf } from '../scripted-runner.js';

const SILENCE_MS = 25_000;

describe('a chat answer of a silent engine', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: CONTRACTS.find(({ name }) => name === 'chat')! });
  });
  afterAll(() => door?.end());

  it('gets comments that the official client skips', async () => {
    door.runner.script = async (_start, writer, signal) => {
      writer.events([text('late ')]);
      await pause(SILENCE_MS, signal);
      writer.events([text('but whole'), fin()]);
      return usageOf(2);
    };
    const client = (await door.connect()).send(door.good({ stream: true }));
    const sdk = new OpenAI({ baseURL: `http://127.0.0.1:${door.gateway.port}/${door.slug}/v1`, apiKey: door.key, maxRetries: 0 });
    const final = await sdk.chat.completions.stream({ model: door.slug, messages: [{ role: 'user', content: 'x' }] }).finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('late but whole');
    await client.untilReceived('[DONE]', 30_000);
    const { body } = (await door.answersOn(client, 1)).answers[0]!;
    expect(body).toMatch(/"late "[^\n]*\n\n(: [a-z]+\n\n)+data: [^\n]*"but whole"/);
    expect(
      chunksOf(body)
        .map(({ choices }) => choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe('late but whole');
  });
});
