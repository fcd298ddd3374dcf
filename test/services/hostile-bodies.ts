import { type HostileAct, type HostileDeed, type HostileTarget, post, rawHead, repeatedly, sockets } from './hostile-client.js';

const MIB = 1024 * 1024;
const PIPELINED = 200;

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

const messagesOf = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, (_, nth) => ({ role: 'user', content: `m${nth}` })));
const said = (content: unknown): string => JSON.stringify([{ role: 'user', content }]);

const chatUrl = ({ gateway, path }: HostileTarget): string => `${gateway}/${path}/v1/chat/completions`;
const chat = ({ path }: HostileTarget, messages: string, more: object = {}): string =>
  `{"messages":${messages},${JSON.stringify({ model: path, max_tokens: 8, ...more }).slice(1)}`;

/** Sends the same body again and again. */
const bodies =
  (target: HostileTarget, body: string, lanes: number): HostileDeed =>
  (signal) =>
    repeatedly(signal, { lanes, pauseMs: 50 }, () => post(chatUrl(target), target.key, body));

const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
/** The first bytes of a PNG, and then nothing that is one. */
const PIXELS = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(2 * MIB)}=`;

function countDeed({ gateway, path, key }: HostileTarget): HostileDeed {
  const body = JSON.stringify({ model: path, messages: [{ role: 'user', content: 'count this '.repeat(60_000) }] });
  return (signal) => repeatedly(signal, { lanes: 4, pauseMs: 50 }, () => post(`${gateway}/${path}/v1/messages/count_tokens`, key, body));
}

/** Acts that are bodies of requests. */
export function bodyActs(llama: HostileTarget, engine: HostileTarget, slowKey: string): readonly HostileAct[] {
  const text = said('lie');
  const large = messagesOf(50_000);
  const long = said('a word '.repeat(850_000));
  const throttled = { ...engine, key: slowKey };
  const addresses = said(Array.from({ length: 100 }, (_, nth) => image(`https://images.invalid/${nth}.png`)));
  return [
    { what: 'usage that cannot be true', deed: bodies(engine, chat(engine, text), 4), answered: ['200'] },
    {
      what: 'strict tools of 2,000 properties',
      deed: bodies(llama, chat(llama, text, { tools: HEAVY_TOOLS, tool_choice: 'required' }), 2),
      answered: ['400'],
    },
    { what: 'bodies of 50,000 messages to llama', deed: bodies(llama, chat(llama, large), 4), answered: ['400'] },
    { what: 'bodies of 6 MB to an engine', deed: bodies(engine, chat(engine, long), 4), answered: ['200'] },
    {
      what: 'images of 2 MiB, three in a body',
      deed: bodies(engine, chat(engine, said([image(PIXELS), image(PIXELS), image(PIXELS)])), 2),
      answered: ['200'],
    },
    { what: 'addresses of images, 100 in a body', deed: bodies(engine, chat(engine, addresses), 4), answered: ['400'] },
    { what: 'counts of an engine that lies', deed: countDeed(engine), answered: ['200', '500'] },
    { what: 'whole answers of 200 MiB', deed: bodies(engine, chat(engine, said('flood')), 4), answered: ['502'] },
    { what: 'requests beyond a key’s rate', deed: bodies(throttled, chat(throttled, messagesOf(2_000)), 4), answered: ['429'] },
  ];
}

/** Acts that are what a client does to its connections. */
export function connectionActs(engine: HostileTarget): readonly HostileAct[] {
  const { gateway, key } = engine;
  const flood = chat(engine, said('flood'), { stream: true });
  const whole = chat(engine, said('x'.repeat(32 * 1024)));
  const bytes = Array.from(whole, (byte) => `1\r\n${byte}\r\n`).join('');
  const models = `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(PIPELINED);
  return [
    {
      what: 'bodies that hardly arrive',
      deed: (signal) =>
        sockets(signal, { gateway, count: 150 }, (socket) => {
          socket.write(`${rawHead(engine, `content-length: ${8 * MIB}\r\n`)}{"messages":[`);
          const drip = setInterval(() => socket.write(' '), 1_000);
          socket.once('close', () => clearInterval(drip));
        }),
      answered: ['408', 'all open at once'],
    },
    {
      what: 'bodies in chunks of one byte',
      deed: (signal) =>
        sockets(signal, { gateway, count: 4 }, (socket) => {
          socket.write(`${rawHead(engine, 'transfer-encoding: chunked\r\n')}${bytes}0\r\n\r\n`);
        }),
      answered: ['400'],
    },
    {
      what: 'unread events of a mebibyte',
      deed: (signal) =>
        sockets(signal, { gateway, count: 20 }, (socket) => {
          socket.pause();
          socket.write(`${rawHead(engine, `content-length: ${Buffer.byteLength(flood)}\r\n`)}${flood}`);
        }),
      answered: ['open', 'all open at once'],
    },
    {
      what: 'requests whose answers are not read',
      deed: (signal) =>
        sockets(signal, { gateway, count: 50 }, (socket) => {
          socket.pause();
          const ask = (): void => void (socket.write(models) && setTimeout(ask, 20));
          socket.on('drain', ask);
          ask();
        }),
      answered: ['all open at once'],
    },
    {
      what: 'thousands of connections that say nothing',
      deed: (signal) => sockets(signal, { gateway, count: 3_000 }, () => undefined),
      answered: ['all open at once'],
    },
  ];
}
