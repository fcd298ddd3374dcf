import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';
import { afterEach, expect, it } from 'vitest';
import { createDatabase } from './ensure-database.js';

/** The server's answer to `CREATE DATABASE`. */
type Making = 'made' | { readonly code: string; readonly message: string };

const BATCH: Making = { code: 'XX000', message: 'starting batch while batch already in progress' };
const BROKEN: Making = { code: 'XX000', message: 'could not read block 7' };

/** A message of PostgreSQL's protocol. */
function message(type: string, body = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const READY = message('Z', Buffer.from('I'));
const AUTHENTICATED = message('R', Buffer.alloc(4));
const done = (tag: string): Buffer => message('C', Buffer.from(`${tag}\0`));
const failed = ({ code, message: text }: Exclude<Making, 'made'>): Buffer => message('E', Buffer.from(`SERROR\0C${code}\0M${text}\0\0`));
/** No row: the database does not exist yet. */
const NO_ROWS = Buffer.concat([message('1'), message('2'), message('n'), done('SELECT 0'), READY]);

/** A PostgreSQL server that knows no database and answers each `CREATE DATABASE` in turn. */
class ScriptedPostgres {
  readonly made: string[] = [];
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  constructor(private readonly makings: Making[]) {}

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => resolve((this.#server.address() as { port: number }).port));
    });
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    let [rest, isStarted] = [Buffer.alloc(0), false];
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      // Only the first message has no type.
      for (let skip = Number(isStarted); rest.length >= skip + 4; skip = Number(isStarted)) {
        const end = skip + rest.readInt32BE(skip);
        if (rest.length < end) return;
        const [type, body] = [isStarted ? rest.toString('latin1', 0, 1) : '', rest.toString('utf8', skip + 4, end - 1)];
        rest = rest.subarray(end);
        isStarted = true;
        this.#answer(socket, type, body);
      }
    });
  }

  #answer(socket: Socket, type: string, text: string): void {
    if (type === '') socket.write(Buffer.concat([AUTHENTICATED, READY]));
    else if (type === 'S') socket.write(NO_ROWS);
    else if (type === 'Q') {
      this.made.push(text);
      const making = this.makings.shift() ?? 'made';
      socket.write(Buffer.concat([making === 'made' ? done('CREATE DATABASE') : failed(making), READY]));
    } else if (type === 'X') socket.end();
  }
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function postgres(...makings: Making[]): Promise<{ server: ScriptedPostgres; client: Client }> {
  const server = new ScriptedPostgres(makings);
  const client = new Client({ host: '127.0.0.1', port: await server.listen(), user: 'u', database: 'postgres', ssl: false });
  ends.push(() => server.close());
  await client.connect();
  ends.push(() => client.end());
  return { server, client };
}

it('retries when the server fails concurrent creations', async () => {
  const { server, client } = await postgres(BATCH, BATCH, 'made');
  expect(await createDatabase(client, 'slip')).toBe(true);
  expect(server.made).toHaveLength(3);
});

it('rejects at once after another internal error', async () => {
  const { server, client } = await postgres(BROKEN, 'made');
  await expect(createDatabase(client, 'slip')).rejects.toMatchObject(BROKEN);
  expect(server.made).toHaveLength(1);
});
