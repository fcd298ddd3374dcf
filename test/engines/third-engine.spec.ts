import { type CanonicalRequest, type DeploymentFacts, Incarnation, textOf, type Usage } from '@slipway/contracts';
import { nuid, Tracing } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine, EngineFacts, EngineOutput, TokenCount } from '../../libs/engine/src/engine.js';
import { Runner } from '../../apps/inference-worker/src/runner/runner.js';
import { ENV, GatewayRig, type RunningGateway } from '../gateway/gateway-rig.js';

const wordsOf = (request: CanonicalRequest): string[] => textOf(request.messages.at(-1) ?? { role: 'user', content: [] }).split(' ');

/** Says the words of the last message backwards, or calls the first tool with them: as far from the other engines as one can be. */
class MirrorEngine implements Engine {
  #running = 0;

  load(onProgress: (progress: number) => void): Promise<EngineFacts> {
    onProgress(1);
    return Promise.resolve({ fingerprint: 'mirror-1', context: 100, slots: 2, caps: ['tools', 'exact_usage', 'exact_count'] });
  }
  current(): { running: number; queued: number } {
    return { running: this.#running, queued: 0 };
  }
  check(): Promise<void> {
    return Promise.resolve();
  }
  count(request: CanonicalRequest): Promise<TokenCount> {
    return Promise.resolve({ tokens: wordsOf(request).length, exact: true });
  }
  async generate(request: CanonicalRequest, output: EngineOutput): Promise<Usage> {
    this.#running += 1;
    const words = wordsOf(request).toReversed();
    output.phase('prefill');
    output.events([{ k: 'start', prompt: words.length, cached: 0 }]);
    const [tool] = request.tools ?? [];
    if (tool) {
      output.events([{ k: 'call', i: 0, id: 'call_mirror', name: tool.name, n: 1 }]);
      output.events([{ k: 'args', i: 0, x: JSON.stringify({ words }), n: words.length - 1 }]);
    } else for (const word of words) output.events([{ k: 'text', x: `${word} `, n: 1 }]);
    output.events([{ k: 'fin', r: tool ? 'tool_calls' : 'stop' }]);
    this.#running -= 1;
    return Promise.resolve({ prompt: words.length, cached: 0, completion: words.length });
  }
  unload(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a third engine', () => {
  let rig: GatewayRig;
  let gateway: RunningGateway;
  let runner: Runner;
  let deployment: DeploymentFacts;
  let key: string;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    const account = rig.account();
    key = rig.key(account.id).value;
    deployment = rig.deployment(account.id, { context: 100, caps: ['tools'] });
    runner = new Runner({
      wk: Incarnation.parse(nuid.next()),
      engine: new MirrorEngine(),
      nats: await rig.connect('mirror'),
      env: ENV,
      item: {
        dep: deployment.id,
        rev: 1,
        source: { kind: 'http', url: 'http://mirror.test', model: 'mirror' },
        context: null,
        slots: 2,
        threads: 1,
        default_max_tokens: null,
      },
      zone: null,
      tracing: new Tracing(),
      log: rig.log,
      lost: (error) => expect.unreachable(error.message),
    });
    await runner.start(() => undefined, new AbortController().signal);
    gateway = await rig.gateway();
    await rig.whenAnswering(gateway, deployment, key);
  });
  afterAll(async () => {
    await runner?.stop({ deadlineMs: 0, stopped: false });
    await rig?.end();
  });

  const post = async (path: string, fields: object = {}): Promise<Record<string, unknown>> => {
    const slug = `deployment-${deployment.id}`;
    const response = await fetch(`${gateway.url}/${slug}/v1/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: slug, max_tokens: 50, messages: [{ role: 'user', content: 'one two three' }], ...fields }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  };

  it('serves both contracts as it is', async () => {
    expect(await post('chat/completions')).toMatchObject({
      choices: [{ message: { content: 'three two one ' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 3 },
    });
    expect(await post('messages')).toMatchObject({
      content: [{ type: 'text', text: 'three two one ' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 3 },
    });
  });

  it('calls tools in both', async () => {
    const chat = await post('chat/completions', { tools: [{ type: 'function', function: { name: 'say' } }] });
    expect(chat).toMatchObject({
      choices: [
        { message: { tool_calls: [{ id: 'call_mirror', function: { name: 'say', arguments: '{"words":["three","two","one"]}' } }] } },
      ],
    });
    const messages = await post('messages', { tools: [{ name: 'say', input_schema: { type: 'object' } }] });
    expect(messages).toMatchObject({
      content: [{ type: 'tool_use', id: 'call_mirror', name: 'say', input: { words: ['three', 'two', 'one'] } }],
      stop_reason: 'tool_use',
    });
  });

  it('counts', async () => {
    expect(await post('messages/count_tokens')).toEqual({ input_tokens: 3 });
  });
});
