import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from '../door.js';
import { CONTRACTS, expectRow, kept, type Row } from '../expect-row.js';
import { rawRequest } from '../raw-client.js';
import { type Script, usageOf } from '../scripted-runner.js';

const NO_JSON = [400, 'invalid_json'] as const;
const MEDIA = [400, 'unsupported_media_type'] as const;
const UTF8 = [400, 'invalid_utf8'] as const;
const UNICODE = [400, 'invalid_unicode'] as const;
const DEEP = [400, 'json_too_deep'] as const;

/** A request whose headers and body are bytes, so that a body may be no text at all. */
function bytesOf(door: Door, body: string | Uint8Array, ...headers: string[]): Buffer {
  const bytes = Buffer.from(body);
  const type = headers.length > 0 ? headers : ['Content-Type: application/json'];
  const head = rawRequest(door.path(), [`X-API-Key: ${door.key}`, ...type, `Content-Length: ${bytes.length}`]);
  return Buffer.concat([Buffer.from(head), bytes]);
}
/** A good body with something put into the text that the user says. `escaped` = as it stands in JSON. */
const saying = (door: Door, escaped: string): string => door.body().replace('canary-prompt', escaped);
const withText = (door: Door, bytes: readonly number[]): Buffer => {
  const [before = '', after = ''] = door.body().split('canary-prompt');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};
const nested = (door: Door, levels: number): string => door.body().replace(/\}$/, `,"extra":${'['.repeat(levels)}${']'.repeat(levels)}}`);
/** A good body with one more key at its end, as it stands. */
const withKey = (door: Door, json: string): string => door.body().replace(/\}$/, `,${json}}`);

const TYPE_ROWS: Row[] = [
  kept('no content type', (d) => bytesOf(d, d.body(), 'X-None: 1'), MEDIA),
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json; charset=bogus',
  ].map((type) => kept(type, (d) => bytesOf(d, d.body(), `Content-Type: ${type}`), MEDIA)),
  ...['gzip', 'zstd', 'br', 'deflate, gzip'].map((coding) =>
    kept(
      `plain JSON that calls itself ${coding}`,
      (d) => bytesOf(d, d.body(), 'Content-Type: application/json', `Content-Encoding: ${coding}`),
      MEDIA,
    ),
  ),
  kept(
    '5 kB that would be 5 MB',
    (d) => bytesOf(d, gzipSync(Buffer.alloc(5_000_000, 0x20)), 'Content-Type: application/json', 'Content-Encoding: gzip'),
    MEDIA,
  ),
];

const JSON_ROWS: Row[] = [
  kept('nothing', (d) => bytesOf(d, ''), NO_JSON),
  kept('blanks', (d) => bytesOf(d, ' \n '), NO_JSON),
  kept('JSON that is cut', (d) => bytesOf(d, d.body().slice(0, -5)), NO_JSON),
  kept('text after the JSON', (d) => bytesOf(d, `${d.body()}x`), NO_JSON),
  kept('two documents', (d) => bytesOf(d, `${d.body()}${d.body()}`), NO_JSON),
  kept('NaN', (d) => bytesOf(d, withKey(d, '"temperature":NaN')), NO_JSON),
  kept('single quotes', (d) => bytesOf(d, d.body().replaceAll('"', "'")), NO_JSON),
  kept('a comment', (d) => bytesOf(d, `/* hi */${d.body()}`), NO_JSON),
  kept('a comma at the end', (d) => bytesOf(d, d.body().replace(/\}$/, ',}')), NO_JSON),
  kept('a control character in a string', (d) => bytesOf(d, saying(d, 'a\u0001b')), NO_JSON),
  kept('an array', (d) => bytesOf(d, `[${d.body()}]`), NO_JSON),
  kept('a string', (d) => bytesOf(d, '"hi"'), NO_JSON),
  kept('null', (d) => bytesOf(d, 'null'), NO_JSON),
  kept('a number', (d) => bytesOf(d, '1'), NO_JSON),
  kept('a byte order mark', (d) => bytesOf(d, `\ufeff${d.body()}`), NO_JSON),
  kept('UTF-16', (d) => bytesOf(d, Buffer.from(d.body(), 'utf16le')), NO_JSON),
  ...['model', 'messages', 'stream', 'max_tokens', 'max_completion_tokens'].map((key) =>
    kept(`${key} twice`, (d) => bytesOf(d, withKey(d, `"${key}":null,"${key}":null`)), NO_JSON),
  ),
  kept('a key twice, one of them escaped', (d) => bytesOf(d, withKey(d, '"stre\\u0061m":true,"stream":false')), NO_JSON),
  kept('__proto__', (d) => bytesOf(d, withKey(d, '"__proto__":{"stream":true}')), NO_JSON),
  kept('__proto__ deep inside', (d) => bytesOf(d, withKey(d, '"x":[{"__proto__":1}]')), NO_JSON),
  kept('__proto__, escaped', (d) => bytesOf(d, withKey(d, '"\\u005f_proto__":1')), NO_JSON),
  kept('constructor', (d) => bytesOf(d, withKey(d, '"constructor":{"prototype":1}')), NO_JSON),
  kept('65 levels', (d) => bytesOf(d, nested(d, 64)), DEEP),
  kept('5,000 levels', (d) => bytesOf(d, nested(d, 5_000)), DEEP),
  kept('500,000 levels', (d) => bytesOf(d, nested(d, 500_000)), DEEP),
  kept('500,000 levels that never close', (d) => bytesOf(d, '['.repeat(500_000)), DEEP),
  kept('1e400', (d) => bytesOf(d, withKey(d, '"temperature":1e400')), [400, 'invalid_value']),
  kept('1e400 in an unread field', (d) => bytesOf(d, withKey(d, '"x":[-1e400]')), [400, 'invalid_value']),
];

const TEXT_ROWS: Row[] = [
  kept('a byte that is no UTF-8', (d) => bytesOf(d, withText(d, [0xff])), UTF8),
  kept('a character that is cut', (d) => bytesOf(d, withText(d, [0xe2, 0x82])), UTF8),
  kept('an overlong slash', (d) => bytesOf(d, withText(d, [0xc0, 0xaf])), UTF8),
  kept('half a pair as bytes', (d) => bytesOf(d, withText(d, [0xed, 0xa0, 0x80])), UTF8),
  kept('half a pair, escaped', (d) => bytesOf(d, saying(d, '\\ud800')), UNICODE),
  kept('the other half, escaped', (d) => bytesOf(d, saying(d, '\\udc00x')), UNICODE),
  kept('a pair the wrong way round', (d) => bytesOf(d, saying(d, '\\udc00\\ud800')), UNICODE),
  kept('half a pair in a key', (d) => bytesOf(d, withKey(d, '"\\ud800":1')), UNICODE),
];

describe.each(CONTRACTS)('bad bodies at the $name door', (contract) => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract });
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  it.each([...TYPE_ROWS, ...JSON_ROWS, ...TEXT_ROWS])('$sends: $refusal, and the connection is $connection', (row) => expectRow(door, row));

  const lastUserText = (): unknown => door.runner.admitted.at(-1)?.req.messages.at(-1)?.content[0];

  it.each<[string, string, string]>([
    ['a NUL', 'a\\u0000b', 'a\u0000b'],
    ['a pair, escaped', '\\ud83d\\ude00', '😀'],
    ['characters of every length', 'aé€😀', 'aé€😀'],
    ['marks that turn and join', '\u202eabc\u202c 👩‍👩‍👧', '\u202eabc\u202c 👩‍👩‍👧'],
    ['what looks like a key', '__proto__ constructor', '__proto__ constructor'],
    ['what looks like an end', '\\n\\ndata: [DONE]\\n\\n', '\n\ndata: [DONE]\n\n'],
  ])('%s in user text reaches the worker unchanged', async (_, escaped, expected) => {
    const { answers } = await door.converse(bytesOf(door, saying(door, escaped)));
    expect(answers[0]?.status).toBe(200);
    expect(lastUserText()).toEqual({ type: 'text', text: `${expected} one two` });
  });

  it('63 levels pass, and the last harmless duplicate counts', async () => {
    expect((await door.converse(bytesOf(door, nested(door, 63)))).answers[0]?.status).toBe(200);
    await door.converse(bytesOf(door, withKey(door, '"temperature":0.1,"temperature":0.9')));
    expect(door.runner.admitted.at(-1)?.req.sampling.temperature).toBe(0.9);
  });

  it.each(['application/json;charset=UTF-8', 'Application/JSON', 'application/json; charset="utf-8"'])(
    'the type %s is taken',
    async (type) => {
      expect((await door.converse(bytesOf(door, door.body(), `Content-Type: ${type}`))).answers[0]?.status).toBe(200);
    },
  );

  it('an unknown field affects no request', async () => {
    await door.converse(door.good());
    const plain = door.runner.admitted.at(-1)?.req;
    const fields = { made_up: { deep: [1] }, api_key: 'canary', extra_body: { guided_json: {} }, prototype: 1, toString: 'x' };
    expect((await door.converse(door.good(fields))).answers[0]?.status).toBe(200);
    expect(door.runner.admitted.at(-1)?.req).toEqual(plain);
    await door.converse(door.good());
    expect(door.runner.admitted.at(-1)?.req).toEqual(plain);
  });

  it.each([true, false])('text like a stream’s end is text (stream: %s)', async (stream) => {
    const words = ['\n\ndata: [DONE]\n\n', 'event: message_stop\n\n', '\r\n0\r\n\r\n', '\u2028', '👩‍👩‍👧', '"}'];
    const script: Script = async (_start, writer) => {
      for (const x of words) writer.events([{ k: 'text', x, n: 1 }]);
      writer.events([{ k: 'fin', r: 'stop' }]);
      return usageOf(words.length);
    };
    door.runner.script = script;
    const { answers, rest } = await door.converse(door.good({ stream }));
    expect({ count: answers.length, rest }).toEqual({ count: 1, rest: '' });
    const { body } = answers[0]!;
    if (stream) {
      expect(contract.textOf(body)).toBe(words.join(''));
      expect(body).toMatch(contract.streamEnd);
    } else expect(body).toContain(JSON.stringify(words.join('')));
  });
});
