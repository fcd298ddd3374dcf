import { describe, expect, it } from 'vitest';
import { UsageError } from './cli-errors.js';
import { type CommandLine, locate, readCommandLine } from './command-line.js';
import { type Command, type Group, isGroup } from './command.js';
import { COMMANDS } from './commands.js';

function read(...argv: string[]): CommandLine {
  const { node, path } = locate(COMMANDS, argv).place;
  if (isGroup(node)) throw new Error('This names no command.');
  return readCommandLine({ node, path }, argv);
}

/** Every command with the names that lead to it. */
function leaves(node: Command | Group, path: readonly string[] = []): [string, Command][] {
  return isGroup(node) ? node.commands.flatMap((one) => leaves(one, [...path, one.name])) : [[path.join(' '), node]];
}

describe('a command line', () => {
  it('names a command by its path, whatever options stand between', () => {
    expect(read('keys', 'mcp', 'rotate', '--account', 'acme').path).toEqual(['keys', 'mcp', 'rotate']);
    const early = read('--account', 'keys', '--json', 'keys', 'create', '--data-dir=x', 'ci');
    expect(early.path).toEqual(['keys', 'create']);
    expect(early.words.get('NAME')).toBe('ci');
    expect(early.options.text('account')).toBe('keys');
  });

  it('takes words that look like options behind two hyphens', () => {
    expect(read('keys', 'create', '--', '--wild').words.get('NAME')).toBe('--wild');
  });

  it.each([
    [['keys', 'create'], 'NAME is missing.'],
    [['deployments', 'scale', 'demo'], 'REPLICAS is missing.'],
    [['keys', 'list', 'all'], '"all" is one word too many.'],
    [['keys', 'list', '--al'], "Unknown option '--al'."],
    [['keys', 'list', '--wait'], "Unknown option '--wait'."],
    [['keys', 'list', '--account'], "Option '--account <value>' argument missing."],
    [['keys', 'list', '--json=yes'], "Option '--json' does not take an argument."],
  ])('%j is refused', (argv, message) => {
    expect(() => read(...argv)).toThrow(new UsageError(message));
  });

  it('tells the word that names nothing, and where', () => {
    expect(locate(COMMANDS, ['keys', 'lst'])).toMatchObject({ place: { path: ['keys'] }, stranger: 'lst', help: false });
    expect(locate(COMMANDS, ['keys', 'mcp'])).toMatchObject({ place: { path: ['keys', 'mcp'] }, stranger: undefined });
  });

  it.each([[['--help']], [['keys', '-h']], [['deployments', 'create', '--help']], [['--help', 'aliases', 'list']]])(
    '%j asks for help',
    (argv) => {
      const { place, help } = locate(COMMANDS, argv);
      expect([place.path, help]).toEqual([argv.filter((word) => !word.startsWith('-')), true]);
    },
  );
});

describe('the commands', () => {
  it('give an option of one name one form', () => {
    const forms = new Map<string, string>();
    for (const [path, { options }] of leaves(COMMANDS)) {
      for (const [name, { value, short }] of Object.entries(options)) {
        const form = `${value === undefined ? 'switch' : 'value'} ${short ?? ''}`;
        expect([path, name, forms.get(name) ?? form]).toEqual([path, name, form]);
        forms.set(name, form);
      }
    }
  });

  it('are these', () => {
    expect(leaves(COMMANDS).map(([path]) => path)).toEqual([
      'accounts create',
      'accounts list',
      'accounts limits',
      'accounts quota',
      'accounts suspend',
      'accounts resume',
      'accounts delete',
      ...[
        'set-up',
        'invite',
        'invitations',
        'uninvite',
        'list',
        'role',
        'remove',
        'sign-out',
        'reset-password',
        'suspend',
        'resume',
        'delete',
      ].map((name) => `users ${name}`),
      ...['create', 'list', 'rename', 'rotate', 'revoke', 'limits', 'deployments', 'mcp create', 'mcp show', 'mcp rotate'].map(
        (name) => `keys ${name}`,
      ),
      ...['create', 'list', 'show', 'models', 'update', 'scale', 'stop', 'resume', 'delete', 'log'].map((name) => `deployments ${name}`),
      ...['point', 'list', 'remove'].map((name) => `aliases ${name}`),
      'usage',
      'audit list',
      'audit verify',
      'audit export',
      'sessions rotate-key',
      'workers list',
      'workers expel',
    ]);
  });
});
