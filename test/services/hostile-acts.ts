import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateDeployment, CreateKey, type DeploymentId, deploymentSlug, isServiceError, TestEngine } from '@slipway/contracts';
import { chatChunk, ScriptedUpstream, sseEvent, type UpstreamScript } from '@slipway/testing';
import { countOf } from './bystander.js';
import type { ClientRig, Tenant } from './client-rig.js';

const MODEL = 'svc-tiny.Q8_0.gguf';
const MIB = 1024 * 1024;

/** Does one thing again and again until `signal` is aborted, and returns what it was answered, in words. */
export type HostileAct = (signal: AbortSignal) => Promise<readonly string[]>;

/** Repeats one attempt, so many at once, each with a pause after it, until the signal. */
async function repeatedly(
  signal: AbortSignal,
  options: { lanes: number; pauseMs: number },
  attempt: () => Promise<string>,
): Promise<string[]> {
  const answers: string[] = [];
  const lane = async (): Promise<void> => {
    while (!signal.aborted) {
      const answer = await attempt();
      if (!signal.aborted) answers.push(answer);
      await delay(options.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return answers;
}

const codeOr = (error: unknown): string => (isServiceError(error) ? error.code : 'failed');

/** Strict tools with thousands of required properties: seconds of work for who compiles them without a bound. */
const HEAVY_TOOLS = Array.from({ length: 8 }, (_, tool) => {
  const names = Array.from({ length: 2_000 }, (_, nth) => `property_${tool}_${nth}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return {
    type: 'function',
    function: {
      name: `tool_${tool}`,
      strict: true,
      parameters: { type: 'object', properties, required: names, additionalProperties: false },
    },
  };
});

const textOfMessages = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, nth) => ({ role: 'user', content: `m${nth}` })));

/** An account with all that a tenant can have, who uses all of it against the others. */
export class HostileTenant {
  private constructor(
    private readonly rig: ClientRig,
    private readonly tenant: Tenant,
    private readonly engine: ScriptedUpstream,
    private readonly paths: { readonly llama: string; readonly engine: string; readonly engineId: DeploymentId },
  ) {}

  static async open(rig: ClientRig): Promise<HostileTenant> {
    const tenant = await rig.tenant();
    const engine = await ScriptedUpstream.start(lies);
    const engineId = await rig.deployment(tenant.account, { source: { kind: 'http', url: engine.url, model: 'scripted' } });
    const llamaId = await rig.deployment(tenant.account, {
      source: { kind: 'file', path: `${process.cwd()}/models/${MODEL}` },
      replicas: 1,
    });
    const paths = { llama: deploymentSlug(llamaId), engine: deploymentSlug(engineId), engineId };
    for (const id of [engineId, llamaId]) await rig.whenSeen(tenant.account, id, { state: 'ready' });
    return new HostileTenant(rig, tenant, engine, paths);
  }

  end(): Promise<void> {
    return this.engine.stop();
  }

  /** By what they are, in the order of a table. */
  get acts(): Readonly<Record<string, HostileAct>> {
    return {
      'deployments beyond the quota': (signal) => this.#crowd(signal),
      'usage that cannot be true': (signal) =>
        repeatedly(signal, { lanes: 4, pauseMs: 50 }, () => this.#post(this.paths.engine, '"lie"', signal)),
      'strict tools of 2,000 properties': (signal) =>
        repeatedly(signal, { lanes: 2, pauseMs: 100 }, () =>
          this.#post(this.paths.llama, '"tools"', signal, { tools: HEAVY_TOOLS, tool_choice: 'required' }),
        ),
      'bodies of 50,000 messages': (signal) => this.#largeBodies(this.paths.llama, signal),
      'bodies of 50,000 messages to an HTTP engine': (signal) => this.#largeBodies(this.paths.engine, signal),
      'bodies that hardly arrive': (signal) => this.#slowBodies(signal),
      'requests beyond a key’s rate': (signal) => this.#beyondRate(signal),
      'engines that never end their answer': (signal) => this.#testEngines(signal),
      'events of a mebibyte that nobody reads': (signal) => this.#unread(signal),
      'connections that say nothing': (signal) => this.#idle(signal),
    };
  }

  #url(path: string): string {
    return `${this.rig.gateways[0] ?? ''}/${path}/v1/chat/completions`;
  }

  async #send(url: string, key: string, body: string, signal: AbortSignal): Promise<string> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      await response.text();
      return String(response.status);
    } catch {
      return 'none';
    }
  }

  #post(path: string, content: string, signal: AbortSignal, more: object = {}): Promise<string> {
    const rest = JSON.stringify({ model: path, max_tokens: 8, ...more }).slice(1);
    return this.#send(this.#url(path), this.tenant.key.value, `{"messages":[{"role":"user","content":${content}}],${rest}`, signal);
  }

  #crowd(signal: AbortSignal): Promise<string[]> {
    const { account } = this.tenant;
    const source = { kind: 'http' as const, url: 'http://127.0.0.1:9', model: 'absent' };
    return repeatedly(signal, { lanes: 2, pauseMs: 10 }, () =>
      this.rig.command(CreateDeployment, { account, name: 'one more', source, replicas: 1 }).then(() => 'made', codeOr),
    );
  }

  #largeBodies(path: string, signal: AbortSignal): Promise<string[]> {
    const body = `{"model":"${path}","max_tokens":1,"messages":${textOfMessages(50_000)}}`;
    return repeatedly(signal, { lanes: 4, pauseMs: 50 }, () => this.#send(this.#url(path), this.tenant.key.value, body, signal));
  }

  async #beyondRate(signal: AbortSignal): Promise<string[]> {
    const limits = { requests_per_minute: 5 };
    const { value } = await this.rig.command(CreateKey, { account: this.tenant.account, name: `slow ${Date.now()}`, limits });
    const body = `{"model":"${this.paths.engine}","messages":${textOfMessages(2_000)}}`;
    return repeatedly(signal, { lanes: 4, pauseMs: 10 }, () => this.#send(this.#url(this.paths.engine), value, body, signal));
  }

  #testEngines(signal: AbortSignal): Promise<string[]> {
    const { account } = this.tenant;
    const source = { kind: 'http' as const, url: `${this.engine.url}/endless`, model: 'scripted' };
    return repeatedly(signal, { lanes: 4, pauseMs: 50 }, () =>
      this.rig.command(TestEngine, { account, source }).then(() => 'tested', codeOr),
    );
  }

  #slowBodies(signal: AbortSignal): Promise<string[]> {
    const head = this.#rawHead(`content-type: application/json\r\ncontent-length: ${8 * MIB}\r\n`);
    return this.#sockets(signal, 150, (socket) => {
      socket.write(`${head}{"messages":[`);
      const drip = setInterval(() => socket.write(' '), 1_000);
      socket.once('close', () => clearInterval(drip));
    });
  }

  #unread(signal: AbortSignal): Promise<string[]> {
    const body = JSON.stringify({ model: this.paths.engine, stream: true, messages: [{ role: 'user', content: 'flood' }] });
    const head = this.#rawHead(`content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`);
    return this.#sockets(signal, 20, (socket) => {
      socket.pause();
      socket.write(head + body);
    });
  }

  #idle(signal: AbortSignal): Promise<string[]> {
    return this.#sockets(signal, 500, () => undefined);
  }

  #rawHead(headers: string): string {
    return `POST /${this.paths.engine}/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${this.tenant.key.value}\r\n${headers}\r\n`;
  }

  /** Keeps so many connections open; one that is closed is opened again after a while. Returns how each ended. */
  async #sockets(signal: AbortSignal, count: number, begin: (socket: Socket) => void): Promise<string[]> {
    const { hostname, port } = new URL(this.rig.gateways[0] ?? '');
    return repeatedly(signal, { lanes: count, pauseMs: 250 }, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      const status = new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 'none'));
        socket.once('error', () => resolve('none'));
        socket.once('close', () => resolve('closed'));
        signal.addEventListener('abort', () => resolve('open'), { once: true });
      });
      socket.once('connect', () => begin(socket));
      const answer = await status;
      socket.destroy();
      return answer;
    });
  }
}

/** What the engine of the hostile tenant answers, by what it is asked. */
function lies({ body }: { readonly body: unknown }): UpstreamScript {
  const { messages } = body as { messages: { content: string }[] };
  if (messages.at(-1)?.content === 'flood') {
    const event = chatChunk({ content: 'x'.repeat(MIB) });
    return { steps: Array.from({ length: 200 }, () => event) };
  }
  const usage = { prompt_tokens: 9e15, completion_tokens: 9e15, total_tokens: -1, prompt_tokens_details: { cached_tokens: 9e15 } };
  return { steps: [chatChunk({ content: 'yes' }), chatChunk({}, 'stop'), sseEvent({ choices: [], usage }), sseEvent('[DONE]')] };
}

/** What the tenant had been answered, counted: `429 × 12, 200 × 3`. */
export const inWords = (answers: readonly string[]): string =>
  Object.entries(countOf(answers))
    .toSorted(([, a], [, b]) => b - a)
    .map(([answer, count]) => `${answer} × ${count}`)
    .join(', ');
