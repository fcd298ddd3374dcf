import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Terminal } from './terminal.js';

function aTerminal(isTTY: boolean): { terminal: Terminal; stdin: PassThrough; stdout: () => string; stderr: () => string } {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const terminal = new Terminal({ stdin: Object.assign(stdin, { isTTY }), stdout, stderr: Object.assign(stderr, { isTTY }) });
  const all = (stream: PassThrough): string => (stream.read() as Buffer | null)?.toString() ?? '';
  return { terminal, stdin, stdout: () => all(stdout), stderr: () => all(stderr) };
}

it('a question reads one line and writes to stderr', async () => {
  const { terminal, stdin, stdout, stderr } = aTerminal(true);
  const answer = terminal.ask('Sure? ');
  stdin.write(' deployment-3 \nmore\n');
  expect(await answer).toBe('deployment-3');
  expect([stdout(), stderr()]).toEqual(['', 'Sure? ']);
});

it('an ended input is an empty answer', async () => {
  const { terminal, stdin } = aTerminal(true);
  const answer = terminal.ask('Sure? ');
  stdin.end();
  expect(await answer).toBe('');
});

it('a status replaces the former one on terminals', async () => {
  const shown = aTerminal(true);
  for (const text of ['loading', 'loading', 'ready']) shown.terminal.status(text);
  await shown.terminal.note('done');
  expect(shown.stderr()).toBe('\r\u001B[Kloading\r\u001B[Kready\r\u001B[Kdone\n');
  const piped = aTerminal(false);
  for (const text of ['loading', 'loading', 'ready']) piped.terminal.status(text);
  await piped.terminal.note('done');
  expect(piped.stderr()).toBe('loading\nready\ndone\n');
});

it('a closed output is not an error', async () => {
  const stdout = new PassThrough();
  const terminal = new Terminal({ stdin: new PassThrough(), stdout, stderr: new PassThrough() });
  stdout.destroy(new Error('EPIPE'));
  await terminal.print('text');
  expect(terminal.interactive).toBe(false);
});
