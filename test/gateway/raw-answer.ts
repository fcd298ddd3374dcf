/** One HTTP response read from a socket. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Decoded from its chunks, if it came in chunks. */
  readonly body: string;
}

/** The responses of a server on one connection. */
export interface Conversation {
  readonly answers: readonly RawAnswer[];
  /** What follows the last complete answer: part of the next one, or bytes that belong to none. */
  readonly rest: string;
}

/**
 * Reads the answers on a connection. An answer that is not complete, or that only the end of the connection would
 * complete, stays in `rest`.
 * @param headOnly the first answer is to a HEAD request: it has a length and no body.
 */
export function readAnswers(received: string, headOnly = false): Conversation {
  const answers: RawAnswer[] = [];
  // One character for each byte, since lengths count bytes.
  let rest = Buffer.from(received, 'utf8').toString('latin1');
  for (;;) {
    const next = readOne(rest, headOnly && answers.length === 0);
    if (!next) return { answers, rest };
    answers.push(next.answer);
    rest = next.rest;
  }
}

function readOne(text: string, headOnly: boolean): { answer: RawAnswer; rest: string } | null {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1];
  if (end === -1 || status === undefined) return null;
  const headers = new Headers(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
  const after = text.slice(end + 4);
  const content = Number(status) < 200 || status === '204' || headOnly ? { body: '', rest: after } : readBody(headers, after);
  return (
    content && {
      answer: { status: Number(status), headers, body: Buffer.from(content.body, 'latin1').toString('utf8') },
      rest: content.rest,
    }
  );
}

function readBody(headers: Headers, text: string): { body: string; rest: string } | null {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(text);
  const length = headers.get('content-length');
  if (length === null || text.length < Number(length)) return null;
  return { body: text.slice(0, Number(length)), rest: text.slice(Number(length)) };
}

function readChunks(text: string): { body: string; rest: string } | null {
  let body = '';
  let at = 0;
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 12));
    if (!size) return null;
    const length = Number.parseInt(size[1]!, 16);
    const from = at + size[0].length;
    if (text.length < from + length + 2) return null;
    body += text.slice(from, from + length);
    at = from + length + 2;
    if (length === 0) return { body, rest: text.slice(at) };
  }
}

/** An answer without what is its own, to compare it with another one to the byte. */
export function withoutIds({ status, headers, body }: RawAnswer): string {
  const id = headers.get('x-request-id') ?? 'none';
  const shared = [...headers].filter(([name]) => !['x-request-id', 'request-id', 'date'].includes(name));
  return JSON.stringify({ status, headers: shared, body: body.replaceAll(id, 'req_') });
}
