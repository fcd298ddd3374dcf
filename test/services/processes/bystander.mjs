import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';
import { chatChunk, ScriptedUpstream, sseEvent, usageChunk } from '@slipway/testing';
import { serve } from '../../testing/ipc.mjs';

const STREAMS = 20;
const TOKENS = 60;
const TOKEN_PAUSE_MS = 50;
const REQUEST_PAUSE_MS = 200;
const SHORT = 'short';
const WORDS = Array.from({ length: TOKENS }, (_, nth) => `t${nth} `);

/** Answers of an engine at the pace of a large model; at once to who asks for a short one. */
function answer({ body }) {
  const isShort = body.messages.at(-1)?.content === SHORT;
  const words = isShort ? ['yes'] : WORDS;
  const tokens = words.flatMap((content) => [...(isShort ? [] : [{ pauseMs: TOKEN_PAUSE_MS }]), chatChunk({ content })]);
  const end = [chatChunk({}, 'stop'), usageChunk(3, words.length), sseEvent('[DONE]')];
  return { steps: [chatChunk({ role: 'assistant', content: '' }), ...tokens, ...end] };
}

/** 20 streams one after the other without end, and 5 short requests a second, at all gateways in turn; takes down what it notices. */
class Bystander {
  streams = [];
  requests = [];
  /** The same, asked of the engine itself: what the machine alone makes of a request. */
  direct = [];
  isOver = false;
  running = [];

  constructor({ gateways, path, key }) {
    this.gateways = gateways;
    this.path = path;
    this.key = key;
    for (let nth = 0; nth < STREAMS; nth += 1) this.running.push(this.stream(this.gateway(nth)));
    this.running.push(this.ask());
  }

  gateway(nth) {
    return this.gateways[nth % this.gateways.length];
  }

  async stream(gateway) {
    const client = new OpenAI({ baseURL: `${gateway}/${this.path}/v1`, apiKey: this.key, maxRetries: 0 });
    while (!this.isOver) {
      const seen = { at: performance.now(), pauseMs: 0, how: '' };
      try {
        seen.how = await this.read(client, seen);
      } catch (error) {
        seen.how = String(error?.message);
      }
      this.streams.push(seen);
      if (seen.how !== 'whole') await delay(REQUEST_PAUSE_MS);
    }
  }

  async read(client, seen) {
    const messages = [{ role: 'user', content: 'long' }];
    const stream = await client.chat.completions.create({ model: this.path, messages, stream: true });
    let [text, finish, last] = ['', null, null];
    for await (const { choices } of stream) {
      finish = choices[0]?.finish_reason ?? finish;
      const piece = choices[0]?.delta.content ?? '';
      if (piece === '') continue;
      const now = performance.now();
      if (last !== null) seen.pauseMs = Math.max(seen.pauseMs, now - last);
      [text, last] = [text + piece, now];
    }
    return text === WORDS.join('') && finish === 'stop' ? 'whole' : 'cut';
  }

  async ask() {
    const body = JSON.stringify({ model: this.path, messages: [{ role: 'user', content: SHORT }] });
    const direct = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    const asked = [];
    for (let nth = 0; !this.isOver; nth += 1) {
      asked.push(this.one(this.requests, `${this.gateway(nth)}/${this.path}/v1/chat/completions`, { method: 'POST', headers, body }));
      asked.push(this.one(this.direct, `${engine.url}/v1/chat/completions`, direct));
      await delay(REQUEST_PAUSE_MS);
    }
    await Promise.all(asked);
  }

  async one(kept, url, request) {
    const at = performance.now();
    const read = async () => {
      const response = await fetch(url, request);
      await response.text();
      return String(response.status);
    };
    const status = await read().catch(() => 'none');
    kept.push({ at, status, ms: performance.now() - at });
  }
}

const engine = await ScriptedUpstream.start(answer);
let bystander;

serve({
  engine: () => engine.url,
  start: (place) => void (bystander = new Bystander(place)),
  now: () => performance.now(),
  /** What began at that time or later and has ended. */
  since: (at) => ({
    streams: bystander.streams.filter((one) => one.at >= at),
    requests: bystander.requests.filter((one) => one.at >= at),
    direct: bystander.direct.filter((one) => one.at >= at),
  }),
  end: async () => {
    bystander.isOver = true;
    await Promise.all(bystander.running);
  },
});
