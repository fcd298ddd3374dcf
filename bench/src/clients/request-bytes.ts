import { promptFor } from '../engine/answer-script.js';
import type { Series, Target } from '../messages.js';
import { CHAT_PATH, RESPONSES_PATH } from '../ways/way.js';

const FILLING = ' lorem ipsum dolor sit amet';

const keyOf = ({ key, keyHeader }: Target): Record<string, string> =>
  key === null ? {} : { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key };

const linesOf = (target: Target): string =>
  Object.entries({ ...keyOf(target), ...target.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

const question = (filling: string): string => `Hello! Who are you?${filling}`;

const chatBody = ({ target, stream, script }: Series, filling: string): object => ({
  model: target.model,
  stream,
  max_tokens: script.tokens,
  messages: [
    { role: 'system', content: promptFor(script) },
    { role: 'user', content: question(filling) },
  ],
});

const responsesBody = ({ target, stream, script, stored }: Series, filling: string): object => ({
  model: target.model,
  stream,
  store: stored === true,
  max_output_tokens: script.tokens,
  instructions: promptFor(script),
  input: question(filling),
});

/** The bytes of a series' request, head and body. */
export function requestBytes(series: Series): Buffer {
  const { target, bodyBytes, contract } = series;
  const bodyWith = (filling: string): string => JSON.stringify(contract ? responsesBody(series, filling) : chatBody(series, filling));
  const room = bodyBytes === null ? 0 : Math.max(0, bodyBytes - bodyWith('').length);
  const body = bodyWith(FILLING.repeat(Math.ceil(room / FILLING.length)).slice(0, room));
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const path = contract ? target.path.replace(CHAT_PATH, RESPONSES_PATH) : target.path;
  return Buffer.from(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${linesOf(target)}${length}\r\n${body}`);
}
