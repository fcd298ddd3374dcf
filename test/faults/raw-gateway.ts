import { createHash } from 'node:crypto';
import { Control, Frames, START_HEADERS, START_PART_BYTES, Start, subjectOf, wildcardOf } from '@slipway/contracts';
import { type NatsConnection, connectNats, createLogger, headers } from '@slipway/platform';
import { eventually } from './fleet.js';

type Json = Readonly<Record<string, unknown>>;

/** A gateway that sends any message, valid or not, and records all received frames. */
export class RawGateway {
  readonly frames: { readonly subject: string; readonly frame: Json }[] = [];

  private constructor(
    private readonly nats: NatsConnection,
    private readonly env: string,
    private readonly gw: string,
  ) {
    nats.subscribe(wildcardOf(Frames, { env, gw }), {
      callback: (_, msg) => void (msg.data.length > 0 && this.frames.push({ subject: msg.subject, frame: msg.json() })),
    });
  }

  static async start(url: string, env = 'test'): Promise<RawGateway> {
    const nats = await connectNats({ url, role: 'gateway', name: 'raw gateway', log: createLogger('test', 'silent') });
    const gateway = new RawGateway(nats, env, 'raw');
    await nats.flush();
    return gateway;
  }

  /** A valid start. */
  start(st: string, at: number, plan: Json): Json {
    const content = [{ type: 'text', text: JSON.stringify({ seed: 1, tokens: 5, hz: 100, ...plan }) }];
    const req = { messages: [{ role: 'user', content }], sampling: {}, stop: [] };
    return { st, at, dep: 1, rev: 1, api: 'chat', req };
  }

  sendStart(wk: string, body: string | Uint8Array, to: { st: string; at: number; fields?: Record<string, string> }): void {
    const fields = headers();
    for (const [name, value] of Object.entries(to.fields ?? {})) fields.set(name, value);
    this.nats.publish(subjectOf(Start, { env: this.env, wk }), body, { reply: this.subject(to), headers: fields });
  }

  /** Sends a start in parts; `leaveOut` = a lost part, `digest` = the claimed checksum. */
  sendParts(wk: string, start: Json, fault: { leaveOut?: number; digest?: string } = {}): void {
    const body = Buffer.from(JSON.stringify(start));
    const count = Math.ceil(body.length / START_PART_BYTES);
    for (let i = 0; i < count; i += 1) {
      if (i === fault.leaveOut) continue;
      const digest = fault.digest ?? createHash('sha256').update(body).digest('hex');
      const fields = { [START_HEADERS.part]: `${i}/${count}`, [START_HEADERS.digest]: digest };
      this.sendStart(wk, body.subarray(i * START_PART_BYTES, (i + 1) * START_PART_BYTES), {
        st: String(start['st']),
        at: Number(start['at']),
        fields,
      });
    }
  }

  sendControl(wk: string, message: unknown): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    this.nats.publish(subjectOf(Control, { env: this.env, wk }), text);
  }

  framesOf(st: string, at: number): Json[] {
    const subject = this.subject({ st, at });
    return this.frames.filter((one) => one.subject === subject).map(({ frame }) => frame);
  }

  /** Waits for a frame of the kind and returns the first. */
  async frame(st: string, at: number, kind: string): Promise<Json> {
    await eventually(() => this.framesOf(st, at).some((frame) => frame['k'] === kind), `a frame "${kind}" of ${st}.${at} arrives`);
    return this.framesOf(st, at).find((frame) => frame['k'] === kind)!;
  }

  async flush(): Promise<void> {
    await this.nats.flush();
  }

  async end(): Promise<void> {
    await this.nats.close();
  }

  private subject({ st, at }: { st: string; at: number }): string {
    return subjectOf(Frames, { env: this.env, gw: this.gw, st, at });
  }
}
