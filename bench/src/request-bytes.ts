import { promptFor } from './answer-script.js';
import type { Series } from './messages.js';

/** The bytes of a series' request, head and body. */
export function requestBytes({ target, stream, script, bodyBytes }: Series): Buffer {
  const bodyWith = (filling: string): string =>
    JSON.stringify({
      model: target.model,
      stream,
      max_tokens: script.tokens,
      messages: [
        { role: 'system', content: promptFor(script) },
        { role: 'user', content: `Hello! Who are you?${filling}` },
      ],
    });
  const room = bodyBytes === null ? 0 : Math.max(0, bodyBytes - bodyWith('').length);
  const body = bodyWith(' lorem ipsum dolor sit amet'.repeat(Math.ceil(room / 27)).slice(0, room));
  const key = target.key === null ? '' : `x-api-key: ${target.key}\r\n`;
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key}${length}\r\n${body}`);
}
