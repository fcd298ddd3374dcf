import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentOf, runCli, runCliInProcess } from './cli-rig.js';

const BIN = fileURLToPath(new URL('../../apps/cli/bin', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-binary-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A data folder whose note names a server; `user` gets credentials. */
async function dataDirOf(name: string, note: string | object): Promise<string> {
  const dataDir = join(folder, name);
  await mkdir(join(dataDir, 'run'), { recursive: true });
  await writeFile(join(dataDir, 'run/control.json'), typeof note === 'string' ? note : JSON.stringify(note));
  await writeFile(join(dataDir, 'ops.json'), JSON.stringify({ user: 'ops', password: 'x' }));
  return dataDir;
}

describe('where nothing runs', () => {
  it('one line says so and names npm start', async () => {
    const dataDir = join(folder, 'none');
    expect(await runCli(['keys', 'list', '--data-dir', dataDir])).toEqual({
      code: 1,
      stdout: '',
      stderr: `✗ Slipway is not running on ${dataDir}: start it with npm start. (not_running)\n`,
    });
    expect(documentOf(await runCliInProcess(['keys', 'list', '--json', '--data-dir', dataDir]))).toMatchObject({
      error: { code: 'not_running' },
    });
  });

  it('an unreachable server ends the command in time', async () => {
    const [port = 0] = await freePorts(1);
    const url = `nats://127.0.0.1:${port}`;
    const expected = {
      code: 1,
      stdout: '',
      stderr: `✗ Nothing answers at ${url}: is Slipway running? npm start starts it. (not_running)\n`,
    };
    const dataDir = await dataDirOf('gone', { environment: 'dev', nats_url: url, credentials_dir: join(folder, 'gone') });
    expect(await runCliInProcess(['keys', 'list', '--data-dir', dataDir])).toEqual(expected);
  });

  it('wrong variables are named without their values', async () => {
    const run = await runCliInProcess(['keys', 'list'], {
      environment: { NATS_URL: 'nats://127.0.0.1:1', SLIPWAY_ENV: 'Not An Environment' },
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('SLIPWAY_ENV');
    expect(run.stderr).not.toContain('Not An');
  });

  it('missing credentials are named', async () => {
    const credentials = join(folder, 'no-credentials');
    await mkdir(credentials);
    const environment = { NATS_URL: 'nats://127.0.0.1:1', NATS_CREDENTIALS_DIR: credentials };
    expect((await runCliInProcess(['keys', 'list'], { environment })).stderr).toMatch(/holds neither ops\.creds nor ops\.json/);
  });
});

describe('exit codes and usage', () => {
  it('are 0 for help on stdout and 2 for usage errors on stderr', async () => {
    expect(await runCli(['keys', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: npx slipway keys /),
      stderr: '',
    });
    expect(await runCliInProcess(['launch'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^✗ .+\n\nUsage: npx slipway /),
    });
  });

  it('delete refuses to ask without a terminal', async () => {
    expect(await runCliInProcess(['deployments', 'delete', 'deployment-1'])).toEqual({
      code: 1,
      stdout: '',
      stderr: '✗ There is no terminal to ask on: --yes deletes without asking. (not_confirmed)\n',
    });
  });
});

describe('the program', () => {
  it('says when it is not or partly built', async () => {
    await cp(BIN, join(folder, 'cli/bin'), { recursive: true });
    await writeFile(join(folder, 'cli/package.json'), '{"type":"module"}');
    const bare = async (): Promise<unknown> => promisify(execFile)(process.execPath, [join(folder, 'cli/bin/slipway.mjs'), 'keys', 'list']);
    await expect(bare()).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: '✗ The command line is not built yet: npm start does it, or npm run build.\n',
    });
    await mkdir(join(folder, 'cli/dist'));
    await writeFile(join(folder, 'cli/dist/main.js'), "import '@slipway/none';\nexport const main = () => 0;\n");
    await expect(bare()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^✗ .*npm start repairs it: /) });
  });

  it('is what npx finds in the repository', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'slipway', 'keys', 'mcp', '--help']);
    expect(stdout).toMatch(/^Usage: npx slipway keys mcp \[options\] \[command\]/);
  });
});
