import { PassThrough } from 'node:stream';
import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { EXIT, runCli } from './cli.js';
import { CliError, UsageError } from './cli-errors.js';
import { type Action, command, group } from './command.js';
import { Terminal } from './terminal.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How often it connected. */
  readonly connected: number;
}

/** Runs the command `slipway thing do`, which does what `action` does. */
async function run(action: Action, ...argv: string[]): Promise<Ended> {
  const commands = [group('thing', 'Things.', [command('do', 'Does it.').plans(() => action)])];
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr });
  let connected = 0;
  const code = await runCli(
    {
      commands,
      terminal,
      cwd: '/',
      version: '1.2.3',
      variable: () => undefined,
      openSession: () => {
        connected += 1;
        const call = (): Promise<never> => Promise.reject(new Error('No service is called here.'));
        return Promise.resolve({ terminal, accountOption: undefined, call, close: () => Promise.resolve() });
      },
    },
    argv,
  );
  const all = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { code, stdout: all(stdout), stderr: all(stderr), connected };
}

const succeeds: Action = () => Promise.resolve({ json: { id: 1 }, text: 'Done.', note: 'Mind this.' });
const failsWith =
  (error: Error): Action =>
  () =>
    Promise.reject(error);

describe('a command', () => {
  it('prints its answer on stdout and remarks on stderr', async () => {
    expect(await run(succeeds, 'thing', 'do')).toEqual({ code: EXIT.ok, stdout: 'Done.\n', stderr: 'Mind this.\n', connected: 1 });
  });

  it('prints its release without connecting', async () => {
    expect(await run(succeeds, '--version')).toEqual({ code: EXIT.ok, stdout: '1.2.3\n', stderr: '', connected: 0 });
  });

  it('prints one document with --json', async () => {
    expect(await run(succeeds, 'thing', 'do', '--json')).toMatchObject({ code: EXIT.ok, stdout: '{"id":1}\n', stderr: 'Mind this.\n' });
  });

  it('prints the message and code of a refusal', async () => {
    const refused = failsWith(new ServiceError('slug_taken', 'This slug is taken.', { param: 'slug' }));
    expect(await run(refused, 'thing', 'do')).toMatchObject({
      code: EXIT.failed,
      stdout: '',
      stderr: '✗ This slug is taken. (slug_taken)\n',
    });
    const { stdout } = await run(refused, 'thing', 'do', '--json');
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'slug_taken', message: 'This slug is taken.' } });
  });

  it('keeps the lines of a failure', async () => {
    const failed = failsWith(new CliError('file_refused', 'Two lines are wrong:\nline 3: no answer\nline 9: \u001B[2Jno prompt'));
    const { stdout, stderr } = await run(failed, 'thing', 'do', '--json');
    expect(stderr).toBe('✗ Two lines are wrong: (file_refused)\nline 3: no answer\nline 9: \uFFFD[2Jno prompt\n');
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining(':\nline 3: no answer\n') as string } });
  });

  it('names the field of an invalid request', async () => {
    const refused = failsWith(new ServiceError('invalid_request', 'Too long.', { param: 'name' }));
    expect((await run(refused, 'thing', 'do')).stderr).toBe('✗ name: Too long. (invalid_request)\n');
  });

  it('gives scripts the facts of a failure', async () => {
    const failed = failsWith(new CliError('deployment_failed', 'It failed.', { deployment: 'deployment-1', reason: 'model_invalid' }));
    const { stdout } = await run(failed, 'thing', 'do', '--json');
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'deployment_failed', message: 'It failed.', deployment: 'deployment-1', reason: 'model_invalid' },
    });
  });

  it('prints its help when called wrongly, without connecting', async () => {
    const ended = await run(succeeds, 'thing', 'do', 'more');
    expect(ended).toMatchObject({ code: EXIT.usage, stdout: '', connected: 0 });
    expect(ended.stderr).toMatch(/^✗ too many arguments for 'do'.+\n\nUsage: npx slipway thing do \[options\]\n/);
    expect(await run(failsWith(new UsageError('So not.')), 'thing', 'do')).toMatchObject({ code: EXIT.usage });
  });

  it('ends without a stack trace on its own fault', async () => {
    const { code, stderr } = await run(failsWith(new TypeError('x is undefined')), 'thing', 'do');
    expect([code, stderr]).toEqual([EXIT.failed, '✗ The command line failed: x is undefined\n']);
  });

  it('repeats no key in a message', async () => {
    const key = `svc_dep_${'Ab12'.repeat(12)}x`;
    for (const error of [new CliError('x', `No ${key}.`), new UsageError(`No ${key}.`), new Error(`No ${key}.`)]) {
      expect((await run(failsWith(error), 'thing', 'do')).stderr).toContain('No svc_dep_Ab12….');
    }
  });
});

it('help goes to stdout and is no failure', async () => {
  expect(await run(succeeds, 'thing', '--help')).toMatchObject({ code: EXIT.ok, stderr: '', connected: 0 });
  expect(await run(succeeds)).toMatchObject({ code: EXIT.usage, stdout: '' });
});
