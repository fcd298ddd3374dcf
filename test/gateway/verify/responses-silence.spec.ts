import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fin, text } from '../chat-chunks.js';
import { Door } from '../door.js';
import { responsesContract } from '../responses-contract.js';
import { pause, usageOf } from '../scripted-runner.js';

/** Long enough for the first events after 15 s, and for one event of silence. */
const SILENCE_MS = 32_000;

describe('a response of a silent engine', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: responsesContract });
  });
  afterAll(() => door?.end());

  it('begins after 15 s, and is kept alive', async () => {
    door.runner.script = async (_start, writer, signal) => {
      await pause(SILENCE_MS, signal);
      writer.events([text('late but whole'), fin()]);
      return usageOf(2);
    };
    const client = (await door.connect()).send(door.good({ stream: true }));
    const sdk = new OpenAI({ baseURL: `http://127.0.0.1:${door.gateway.port}/${door.slug}/v1`, apiKey: door.key, maxRetries: 0 });
    const final = await sdk.responses.stream({ model: door.slug, input: 'x' }).finalResponse();
    expect(final.output_text).toBe('late but whole');
    await client.untilReceived('response.completed', 10_000);
    const { body } = (await door.answersOn(client, 1)).answers[0]!;
    expect(body).toMatch(
      /^event: response\.created\n[^\n]*\n\nevent: response\.in_progress\n[^\n]*\n\nevent: keepalive\ndata: \{"type":"keepalive","sequence_number":2\}\n\nevent: response\.output_item\.added\n/,
    );
  });
});
