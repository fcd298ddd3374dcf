import { promptFor } from '../engine/answer-script.js';
import type { Series, Target } from '../messages.js';

const FILLING = ' lorem ipsum dolor sit amet';

const keyOf = ({ key, keyHeader }: Target): Record<string, string> =>
  key === null ? {} : { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key };

const linesOf = (target: Target): string =>
  Object.entries({ ...keyOf(target), ...target.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

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
  const body = bodyWith(FILLING.repeat(Math.ceil(room / FILLING.length)).slice(0, room));
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${linesOf(target)}${length}\r\n${body}`);
}
