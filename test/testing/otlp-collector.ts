import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  /** Of the attributes: names, and values that are texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The service of the resource. */
  readonly service: string;
  readonly isError: boolean;
}

/** Takes spans by OTLP, in protobuf over HTTP. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** All that came, to look for texts that must not be in it. */
  readonly bodies: Buffer[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => void pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        this.bodies.push(body);
        if (request.url === '/v1/traces') this.spans.push(...spansIn(body));
        response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
  }

  static async start(): Promise<OtlpCollector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpCollector(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

/** Lengths of the wire types that have one. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** The fields of a protobuf message by number: bytes of those with a length, numbers of the others. */
function fieldsOf(message: Buffer): Map<number, (Buffer | number)[]> {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = varint();
    const wire = tag & 7;
    const value = wire === 0 ? varint() : bytes(FIXED_BYTES[wire] ?? varint());
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: ReturnType<typeof fieldsOf>, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value) => typeof value !== 'number');
const text = (fields: ReturnType<typeof fieldsOf>, number: number): string => messages(fields, number)[0]?.toString() ?? '';

const attributesOf = (fields: ReturnType<typeof fieldsOf>, number: number): Record<string, string> =>
  Object.fromEntries(
    messages(fields, number)
      .map(fieldsOf)
      .map((pair) => [text(pair, 1), text(fieldsOf(messages(pair, 2)[0] ?? Buffer.alloc(0)), 1)]),
  );

/** By the numbers of opentelemetry/proto/trace/v1/trace.proto. */
function spansIn(body: Buffer): CollectedSpan[] {
  return messages(fieldsOf(body), 1)
    .map(fieldsOf)
    .flatMap((ofResource) => {
      const resource = fieldsOf(messages(ofResource, 1)[0] ?? Buffer.alloc(0));
      const service = attributesOf(resource, 1)['service.name'] ?? '';
      const spans = messages(ofResource, 2).flatMap((scope) => messages(fieldsOf(scope), 2));
      return spans.map(fieldsOf).map((span) => ({
        traceId: messages(span, 1)[0]?.toString('hex') ?? '',
        spanId: messages(span, 2)[0]?.toString('hex') ?? '',
        parentId: messages(span, 4)[0]?.toString('hex') ?? '',
        name: text(span, 5),
        attributes: attributesOf(span, 9),
        service,
        isError: fieldsOf(messages(span, 15)[0] ?? Buffer.alloc(0)).get(3)?.[0] === 2,
      }));
    });
}
