import { createServer } from 'node:http';
import { mkdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Launcher, type StartOptions, freePort, removeFolder, temporaryFolder } from './launcher.js';

let folder: string;
let dataDir: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  dataDir = join(folder, 'data');
});
afterAll(() => removeFolder(folder));

async function run(args: string[], options?: StartOptions): Promise<{ code: number | null; stdout: string; lines: string[] }> {
  const launcher = new Launcher(['--data-dir', dataDir, ...args], options);
  try {
    const code = await launcher.ended();
    return { code, stdout: launcher.stdout, lines: launcher.stderr.trim().split('\n') };
  } finally {
    await launcher.stop();
  }
}

describe('an impossible start is one line and exit 1', () => {
  it.each([
    ['an unknown option', ['--modle', 'x'], /^✗ Unknown option '--modle'/],
    ['a stray word', ['model.gguf'], /^✗ Unexpected argument 'model\.gguf'/],
    ['a number that is none', ['--workers', 'many'], /^✗ --workers takes a whole number from 1 to 16, not "many"\.$/],
    ['a number out of range', ['--port', '0'], /^✗ --port takes a whole number from 1 to 65535, not "0"\.$/],
    ['an insecure model URL', ['--model', 'http://example.com/m.gguf'], /^✗ --model takes a GGUF file, an https URL or an hf: URI\.$/],
    ['half an hf: URI', ['--model', 'hf:someone'], /an hf: URI looks like hf:user\/repo\/file\.gguf\.$/],
    ['an upstream without a model', ['--upstream', 'http://127.0.0.1:1'], /^✗ --upstream needs --upstream-model NAME/],
    ['an upstream key without an upstream', ['--upstream-key-env', 'KEY'], /^✗ --upstream-key-env needs --upstream URL\.$/],
    ['two sources', ['--model', 'x.gguf', '--upstream', 'http://127.0.0.1:1'], /^✗ --model and --upstream exclude each other\.$/],
    [
      'credentials in the upstream’s URL',
      ['--upstream', 'http://me:pw@127.0.0.1:1', '--upstream-model', 'm'],
      /takes no credentials in the URL/,
    ],
  ])('%s', async (_, args, expected) => {
    const { code, lines, stdout } = await run(args);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(expected);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('an option that npm took', async () => {
    const { code, lines } = await run([], { environment: { npm_config_workers: '2' } });
    expect(lines).toEqual(['✗ npm took --workers for itself; put "--" before the options: npm start -- --workers …']);
    expect(code).toBe(2);
  });

  it('a missing model file', async () => {
    const { code, lines } = await run(['--model', join(folder, 'missing.gguf')]);
    expect(lines).toEqual([`✗ There is no model file ${join(folder, 'missing.gguf')}.`]);
    expect(code).toBe(1);
  });

  it('a relative model file is resolved at npm’s folder', async () => {
    const { lines } = await run(['--model', 'missing.gguf'], { environment: { INIT_CWD: folder } });
    expect(lines).toEqual([`✗ There is no model file ${join(folder, 'missing.gguf')}.`]);
  });

  it('a folder, and a file of another format', async () => {
    const text = join(folder, 'text.gguf');
    await writeFile(text, 'not a model');
    expect((await run(['--model', folder])).lines).toEqual([`✗ The model ${folder} is not a file.`]);
    expect((await run(['--model', text])).lines).toEqual([`✗ The model file ${text} is not a GGUF file.`]);
  });

  it('a data directory that cannot be created', async () => {
    await writeFile(join(folder, 'file'), '');
    const { code, lines } = await run(['--data-dir', join(folder, 'file/data')]);
    expect(lines[0]).toMatch(/^✗ The data directory .* cannot be written \(ENOTDIR\)/);
    expect(code).toBe(1);
  });

  it('a taken port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, lines } = await run(['--port', String(port)]);
    server.close();
    expect(lines).toEqual([`✗ Port ${port} is taken; choose another with --port.`]);
    expect(code).toBe(1);
  });
});

describe('an upstream is checked before the start', () => {
  it('no server listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, lines } = await run(['--port', String(await freePort()), '--upstream', url, '--upstream-model', 'm']);
    expect(lines).toEqual([`✗ The upstream ${url} cannot be reached (ECONNREFUSED).`]);
    expect(code).toBe(1);
  });

  it('a refused key is not shown', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(401).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const args = ['--port', String(await freePort()), '--upstream', url, '--upstream-model', 'm', '--upstream-key-env', 'THE_KEY'];
    const wrong = await run(args, { environment: { THE_KEY: 'sk-wrong' } });
    const unset = await run(args);
    server.close();
    expect(wrong.lines).toEqual([`✗ The upstream ${url} refuses access (401): the key is wrong.`]);
    expect(unset.lines).toEqual(['✗ The variable THE_KEY, named with --upstream-key-env, is not set.']);
    expect(seen).toEqual(['/v1/models Bearer sk-wrong']);
  });
});

it('incomplete settings of own servers are refused', async () => {
  const port = String(await freePort());
  const nats = await run(['--port', port], { environment: { NATS_URL: 'nats://127.0.0.1:1', NATS_CREDENTIALS_DIR: '', DATABASE_URL: '' } });
  expect(nats.lines.at(-1)).toMatch(/^✗ NATS_URL is set, so NATS_CREDENTIALS_DIR must name/);
  const closed = await freePort();
  const database = await run(['--port', port], { environment: { DATABASE_URL: `postgres://me:secret@127.0.0.1:${closed}/db` } });
  expect(database.lines.at(-1)).toBe(`✗ DATABASE_URL: no PostgreSQL server accepts connections at 127.0.0.1:${closed}.`);
});

it('--help prints the options and starts nothing', async () => {
  await mkdir(dataDir, { recursive: true });
  const { code, stdout, lines } = await run(['--help']);
  expect(code).toBe(0);
  for (const option of ['--model', '--upstream', '--port', '--data-dir', '--workers', '--gateways', '--new-key', '--json'])
    expect(stdout).toContain(option);
  expect(lines).toEqual(['']);
});
