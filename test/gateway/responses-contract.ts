import OpenAI from 'openai';
import { expect } from 'vitest';
import { chatContract } from './chat-contract.js';
import type { PublicContract, Refusal } from './contract-form.js';
import { isFinal } from './final-status.js';

const statusOf = ({ status, code }: Refusal): number => (code === 'deployment_stopped' ? 400 : status);

const CLASS_OF: Readonly<Record<number, abstract new (...args: never[]) => Error>> = {
  400: OpenAI.BadRequestError,
  401: OpenAI.AuthenticationError,
  403: OpenAI.PermissionDeniedError,
  404: OpenAI.NotFoundError,
  429: OpenAI.RateLimitError,
};

/** The responses contract, as the official SDK and raw sockets see it. */
export const responsesContract: PublicContract = {
  name: 'responses',
  suffix: '/v1/responses',
  body: (model, content, fields = {}) => JSON.stringify({ model, input: content, ...fields }),
  statusOf,
  expectRefusal(answer, refusal) {
    const body = answer.body.replace('"param":"input"', '"param":"messages"');
    chatContract.expectRefusal({ ...answer, body }, { ...refusal, status: statusOf(refusal) });
  },
  async expectRaised({ status, headers, body }, { code }) {
    let calls = 0;
    const client = new OpenAI({
      baseURL: 'http://gw.test/v1',
      apiKey: 'x',
      maxRetries: isFinal(status) ? 2 : 0,
      fetch: () => {
        calls += 1;
        return Promise.resolve(new Response(body, { status, headers }));
      },
    });
    const error: unknown = await client.responses.create({ model: 'x', input: 'x', stream: true }).then(
      () => null,
      (raised: unknown) => raised,
    );
    const expected = CLASS_OF[status] ?? (status >= 500 ? OpenAI.InternalServerError : OpenAI.APIError);
    expect((error as Error).constructor).toBe(expected);
    expect(error).toMatchObject({ status, code, requestID: headers.get('x-request-id') });
    expect(calls).toBe(1);
  },
  textOf: (stream) =>
    [...stream.matchAll(/^data: (\{"type":"response\.output_text\.delta"[^\n]*\})$/gm)]
      .map((match) => (JSON.parse(match[1]!) as { delta: string }).delta)
      .join(''),
  streamEnd: /event: response\.completed\ndata: \{"type":"response\.completed"[^\n]*\}\n\n$/,
  documentEnd: /"status":"completed","completed_at"/,
  anyEnd: /response\.(?:completed|incomplete|failed)|output_item\.done|DONE/,
  failureEnd: (code) => new RegExp(`event: error\\ndata: \\{"type":"error","sequence_number":\\d+,"code":"${code}"[^\\n]*\\}\\n\\n\\r\\n$`),
  async readStream({ url, apiKey, model }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    let text = '';
    try {
      const stream = await client.responses.create({ model, input: 'x', stream: true });
      for await (const event of stream) if (event.type === 'response.output_text.delta') text += event.delta;
    } catch (raised) {
      return { text, raised };
    }
    return { text, raised: null };
  },
  expectRaisedInStream(raised, code) {
    expect(raised).toBeInstanceOf(OpenAI.APIError);
    expect(raised).toMatchObject({ code });
  },
};
