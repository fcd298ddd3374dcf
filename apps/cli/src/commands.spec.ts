import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCli } from './cli.js';
import type { CliCommand } from './command.js';
import { COMMANDS } from './commands.js';
import type { Session } from './session/session.js';
import { Terminal } from './terminal.js';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Requests that the command sent. */
  readonly requests: readonly object[];
  readonly accountOption: string | undefined;
}

/** Fields of every reply that these commands read. */
const ITEM = { id: 1, slug: 'acme', name: 'ci', hint: 'svc_dep_x', state: 'active', aliases: [], limits: { requests_per_minute: 5 } };
const REPLY = {
  ...ITEM,
  ...{ value: 'svc_dep_x', propagated: true, missing: [], next: null, key: null, changed: true, rev: 2 },
  ...{ accounts: [ITEM], keys: [ITEM], deployments: [ITEM] },
};

/** Runs a command with services that give every request the same reply. */
async function run(...argv: string[]): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr });
  const requests: object[] = [];
  let accountOption: string | undefined;
  const call = (_: unknown, request: object): Promise<unknown> => {
    requests.push(request);
    return Promise.resolve(REPLY);
  };
  const openSession = (options: { accountOption: string | undefined }): Promise<Session> => {
    ({ accountOption } = options);
    return Promise.resolve({ terminal, accountOption, call, close: () => Promise.resolve() } as unknown as Session);
  };
  const code = await runCli({ commands: COMMANDS, terminal, cwd: '/work', version: '1.2.3', variable: () => undefined, openSession }, argv);
  const all = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { code, stdout: all(stdout), stderr: all(stderr), requests, accountOption };
}

/** The names and values that a key is made with. */
const created = async (...argv: string[]): Promise<object | undefined> =>
  (await run('keys', 'create', ...argv, '--account', 'acme')).requests[1];

/** Every command with the names that lead to it. */
const leaves = (commands: readonly CliCommand[], path: readonly string[] = []): [string, CliCommand][] =>
  commands.flatMap((one) => {
    const names = [...path, one.name()];
    return one.commands.length === 0 ? [[names.join(' '), one]] : leaves(one.commands as CliCommand[], names);
  });

describe('a command line', () => {
  it('takes common options before, between and behind the names', async () => {
    const early = await run('--account', 'keys', '--json', 'keys', '--data-dir=x', 'create', 'ci');
    expect(early).toMatchObject({ code: 0, accountOption: 'keys', requests: [{ slug: 'keys' }, { name: 'ci' }] });
    expect(await run('keys', 'mcp', 'show', '--account', 'acme', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\{/),
    });
  });

  it('takes words that look like options behind two hyphens', async () => {
    expect(await created('--account', 'acme', '--', '--json')).toBeUndefined();
    const { requests, stdout } = await run('keys', 'create', '--account', 'acme', '--', '--json');
    expect(requests[1]).toMatchObject({ name: '--json' });
    expect(stdout).toMatch(/^Key 1/);
  });

  it.each<[string[], string]>([
    [['keys', 'create'], "missing required argument 'NAME'"],
    [['deployments', 'scale', 'demo'], "missing required argument 'REPLICAS'"],
    [['keys', 'list', 'all'], "too many arguments for 'list'. Expected 0 arguments but got 1."],
    [['keys', 'list', '--acount', 'acme'], "unknown option '--acount' (Did you mean --account?)"],
    [['keys', 'list', '--wait'], "unknown option '--wait'"],
    [['keys', 'list', '--account'], "option '--account <SLUG>' argument missing"],
    [['workers', 'list', '--account', 'acme'], "unknown option '--account'"],
    [['keys', 'lst'], "unknown command 'lst' (Did you mean list?)"],
    [['deployment', 'list'], "unknown command 'deployment' (Did you mean deployments?)"],
    [
      ['deployments', 'create', '--model', 'x', '--upstream', 'http://h'],
      "option '--model <SOURCE>' cannot be used with option '--upstream <URL>'",
    ],
    [['deployments', 'stop', 'demo', '--timeout', '5'], '--timeout needs --wait.'],
    [['deployments', 'create'], 'Name the model with --model, or another server with --upstream.'],
    [['deployments', 'update', 'demo'], 'Name what is to change, such as --model, --context or --name.'],
  ])('%j is refused before anything is connected', async (argv, message) => {
    const { code, stderr, requests } = await run(...argv);
    expect([code, stderr.split('\n')[0], requests]).toEqual([2, `✗ ${message}`, []]);
  });

  it.each([
    [['deployments', 'scale', 'demo', 'many'], 'It takes a whole number, or a range such as 1-4.'],
    [['deployments', 'scale', 'demo', '0-4'], 'A deployment keeps at least one replica; stop it to free what it takes.'],
    [['deployments', 'scale', 'demo', '4-2'], 'The most replicas are fewer than the least.'],
    [['deployments', 'scale', 'demo', '2', '--target', '60'], '--target needs replicas as a range, such as 1-4.'],
    [['deployments', 'scale', 'demo', '1-4', '--target', '5'], 'It is out of range: at least 10.'],
    [['deployments', 'scale', 'demo', '0'], 'It is out of range: at least 1.'],
    [['deployments', 'create', '--model', 'x', '--slots', '5000'], 'It is out of range: at most 1024.'],
    [['deployments', 'log', 'demo', '--lines', '0'], 'It is out of range: at least 1.'],
    [['deployments', 'stop', 'Not an alias'], '"Not an alias" is no alias'],
    [['aliases', 'remove', 'v1'], '"v1" is no alias'],
    [['accounts', 'create', 'UPPER'], '"UPPER" is no slug'],
    [['keys', 'create', ' '], 'Give the key a name.'],
  ])('%j is refused with what the value must be', async (argv, reason) => {
    const { code, stdout, stderr, requests } = await run(...argv);
    expect([code, stdout, requests]).toEqual([2, '', []]);
    expect(stderr.split('\n')[0]).toContain(reason);
    expect(stderr).toContain(`Usage: npx slipway ${argv.slice(0, 2).join(' ')} `);
  });

  it('repeats no value that may be a secret', async () => {
    const secret = 'sk-abcdef0123456789';
    for (const argv of [
      ['deployments', 'create', `--upstream-key=${secret}`],
      ['deployments', 'create', '--upstream', `http://me:${secret}@h`, '--upstream-model', 'm'],
      [`--upstream-key=${secret}`, 'keys', 'list'],
    ]) {
      const { code, stdout, stderr } = await run(...argv);
      expect([code, `${stdout}${stderr}`.includes(secret)], argv.join(' ')).toEqual([2, false]);
    }
  });
});

it.each<[string, string[], object]>([
  ['--expires never', ['keys', 'rotate', '1'], { expires_at: null }],
  ['--requests-per-minute none', ['accounts', 'limits', 'acme'], { limits: {} }],
  ['--context default', ['deployments', 'update', '1'], { context: null }],
])('%s resets a setting', async (option, command, change) => {
  const { code, requests } = await run(...command, ...option.split(' '));
  expect([code, requests.at(-1)]).toEqual([0, expect.objectContaining(change)]);
});

describe('help', () => {
  it.each([
    [['--help'], ''],
    [['keys', '-h'], ' keys'],
    [['deployments', 'create', '--help'], ' deployments create'],
    [['--help', 'aliases', 'list'], ' aliases list'],
    [['help', 'users'], ' users'],
  ])('%j is answered on stdout', async (argv, path) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: npx slipway${path} [options]`);
  });

  it('lists arguments, options and examples with their units', async () => {
    const { stdout } = await run('keys', 'create', '--help');
    for (const part of [
      '<NAME>',
      '--requests-per-minute <N>',
      '12h, 30d',
      '--account <SLUG>',
      '--data-dir <DIR>',
      'Examples:\n  npx slipway',
    ]) {
      expect(stdout).toContain(part);
    }
  });

  it('fits a terminal of 80 columns', async () => {
    for (const path of ['', ...leaves(COMMANDS).map(([names]) => names)]) {
      const { stdout } = await run(...path.split(' ').filter(Boolean), '--help');
      const [text = ''] = stdout.split('\nExamples:');
      expect(Math.max(...text.split('\n').map((line) => line.length)), path).toBeLessThanOrEqual(80);
    }
  });
});

describe('the commands', () => {
  it('use one form per option name', () => {
    const forms = new Map<string, string>();
    for (const [path, { options }] of leaves(COMMANDS)) {
      for (const { long = '', flags } of options) {
        const form = flags.replaceAll(/<[A-Z:]+>/g, '<VALUE>');
        expect([path, long, forms.get(long) ?? form]).toEqual([path, long, form]);
        forms.set(long, form);
      }
    }
  });

  it('are complete', () => {
    expect(leaves(COMMANDS).map(([path]) => path)).toEqual([
      ...['create', 'list', 'limits', 'quota', 'suspend', 'resume', 'delete'].map((name) => `accounts ${name}`),
      ...['set-up', 'invite', 'invitations', 'uninvite', 'list', 'role', 'remove', 'sign-out', 'reset-password'].map(
        (name) => `users ${name}`,
      ),
      ...['suspend', 'resume', 'delete'].map((name) => `users ${name}`),
      ...['create', 'list', 'rename', 'set-expiry', 'rotate', 'revoke', 'limits', 'deployments'].map((name) => `keys ${name}`),
      ...['create', 'show', 'rotate'].map((name) => `keys mcp ${name}`),
      ...['create', 'list', 'show', 'models', 'update', 'scale', 'stop', 'resume', 'delete', 'log'].map((name) => `deployments ${name}`),
      ...['point', 'list', 'remove'].map((name) => `aliases ${name}`),
      ...['start', 'show', 'advance', 'promote', 'back'].map((name) => `rollouts ${name}`),
      'tune',
      ...['push', 'sample', 'list', 'show', 'problems', 'pull', 'diff', 'rm'].map((name) => `datasets ${name}`),
      ...['bases', 'list', 'show', 'log', 'pause', 'resume', 'priority', 'cancel'].map((name) => `jobs ${name}`),
      ...['list', 'show', 'serve', 'eval', 'export', 'import', 'rm'].map((name) => `adapters ${name}`),
      ...['run', 'list', 'show', 'cancel'].map((name) => `evals ${name}`),
      ...['create', 'list', 'gate', 'rm'].map((name) => `evals suites ${name}`),
      ...['list', 'install', 'test'].map((name) => `trainers ${name}`),
      'usage',
      ...['list', 'verify', 'export'].map((name) => `audit ${name}`),
      'sessions rotate-key',
      ...['list', 'expel'].map((name) => `workers ${name}`),
      ...['drain', 'status', 'check', 'config', 'log-level', 'migrate', 'backup', 'restore', 'certs', 'nats-conf'],
    ]);
  });
});
