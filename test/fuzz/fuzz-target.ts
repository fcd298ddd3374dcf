import { execFile } from 'node:child_process';
import { Agent, type IncomingMessage, request } from 'node:http';
import { promisify } from 'node:util';
import { CAPABILITIES } from '@slipway/contracts';
import { GatewayProcess } from '../gateway/gateway-process.js';
import { GatewayRig, until } from '../gateway/gateway-rig.js';
import type { Script, ScriptedRunner } from '../gateway/scripted-runner.js';
import { ENDPOINTS, type FuzzCase, type FuzzNames } from './fuzz-case.js';
import { answerAtOnce } from './instant-answers.js';
import type { FuzzAnswer } from './verdict.js';

const SLOTS = 256;
const WITHIN_MS = 30_000;
/** A request that takes longer hangs. */
const ANSWER_MS = 60_000;
const FAULT = /"level":"(error|fatal)"|"err":/;
const run = promisify(execFile);

/** A gateway process in front of runners that answer at once. */
export class FuzzTarget {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly port: number;

  private constructor(
    private readonly rig: GatewayRig,
    private readonly gateway: GatewayProcess,
    private readonly key: string,
    private readonly runners: readonly ScriptedRunner[],
    readonly names: FuzzNames,
  ) {
    this.port = gateway.port;
  }

  /** @param script what the runners do for each request. */
  static async start(script: Script = answerAtOnce): Promise<FuzzTarget> {
    const rig = await GatewayRig.start();
    try {
      const account = rig.account('acme');
      const key = rig.key(account.id).value;
      const able = rig.deployment(account.id, { caps: [...CAPABILITIES], context: 100_000 });
      const plain = rig.deployment(account.id, { caps: ['temperature', 'seed', 'tools'] });
      const caps = ['embed', 'dimensions:4', 'matryoshka'];
      const vectors = rig.deployment(account.id, { caps, context: 8_192 });
      const stopped = rig.deployment(account.id, { desired: 'stopped', state: 'stopped' });
      const foreign = rig.deployment(rig.account('stranger').id);
      rig.alias(account.id, 'demo-7b', able.id);
      const runners = [
        await rig.runner({ dep: able.id, slots: SLOTS }),
        await rig.runner({ dep: plain.id, slots: SLOTS }),
        await rig.runner({ dep: vectors.id, slots: SLOTS, caps }),
      ];
      for (const runner of runners) runner.script = script;
      const gateway = await GatewayProcess.start({ url: rig.server.url }, { LOG_LEVEL: 'info' });
      const names = {
        able: [`deployment-${able.id}`, 'acme/demo-7b'],
        vectors: [`deployment-${vectors.id}`],
        others: [`deployment-${plain.id}`, `deployment-${stopped.id}`, `deployment-${foreign.id}`, 'acme/nothing'],
      };
      const target = new FuzzTarget(rig, gateway, key, runners, names);
      for (const name of [names.able[0] ?? '', names.others[0] ?? ''])
        await until(`${name} answers`, () => target.answers(name), WITHIN_MS);
      await until('the embeddings answer', () => target.embeds(names.vectors[0] ?? ''), WITHIN_MS);
      return target;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** @throws Error when the connection breaks, or no answer comes in time. */
  async send(asked: FuzzCase): Promise<FuzzAnswer> {
    for (const runner of this.runners) runner.admitted.length = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.exchange(asked);
      } catch (error) {
        // A connection that was kept may be closed by the gateway while a request is on its way to it.
        if (attempt === 3 || !(error instanceof StaleConnection)) throw error;
      }
    }
  }

  /** Resident memory of the gateway, in MiB. */
  async memoryMib(): Promise<number> {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(this.gateway.pid)]);
    return Number(stdout.trim()) / 1024;
  }

  /** Lines of the gateway's log that tell of a fault of its own, and what it wrote that is no log. */
  get complaints(): readonly string[] {
    return this.gateway.output.split('\n').filter((line) => line !== '' && (!line.startsWith('{') || FAULT.test(line)));
  }

  get running(): number {
    return this.runners.reduce((sum, { used, counting }) => sum + used + counting, 0);
  }

  /** Ends everything; resolves with the exit code of the gateway. */
  async end(): Promise<number | null> {
    this.agent.destroy();
    try {
      return await this.gateway.stop();
    } finally {
      await this.gateway.end();
      await this.rig.end();
    }
  }

  private async answers(name: string): Promise<boolean> {
    const bytes = Buffer.from(JSON.stringify({ model: name, messages: [{ role: 'user', content: 'x' }] }));
    return (await this.send({ seed: 0, endpoint: 'chat', name, valid: true, bytes })).status === 200;
  }

  private async embeds(name: string): Promise<boolean> {
    const bytes = Buffer.from(JSON.stringify({ model: name, input: 'x' }));
    return (await this.send({ seed: 0, endpoint: 'embeddings', name, valid: true, bytes })).status === 200;
  }

  private exchange({ endpoint, name, bytes }: FuzzCase): Promise<FuzzAnswer> {
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json', 'content-length': bytes.length };
    const path = `/${name}${ENDPOINTS[endpoint].path}`;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(sent.reusedSocket && !(error instanceof Hang) ? new StaleConnection(error.message) : error);
      const options = { agent: this.agent, port: this.port, host: '127.0.0.1', method: 'POST', path, headers, timeout: ANSWER_MS };
      const sent = request(options, (response) => void collect(response).then(resolve, reject));
      sent.once('timeout', () => sent.destroy(new Hang(`No answer came within ${ANSWER_MS} ms.`)));
      sent.once('error', fail);
      sent.end(bytes);
    });
  }
}

class StaleConnection extends Error {}
class Hang extends Error {}

async function collect(response: IncomingMessage): Promise<FuzzAnswer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts).toString('utf8') };
}
