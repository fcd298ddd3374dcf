import { spawn } from 'node:child_process';

const running = new Set();

/** Ends all running commands, for the stop of this process. */
export function endRunningCommands() {
  for (const child of running) child.kill('SIGTERM');
}

/**
 * Runs a command to its end and collects its output. A command that cannot be started has code 127.
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options] options of `spawn`, and `input` = text for stdin
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code is 128 after a signal.
 */
export function runCommand(command, args, { input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error) => {
      running.delete(child);
      resolve({ code: 127, stdout, stderr: `${stderr}${error.message}` });
    });
    child.on('close', (code) => {
      running.delete(child);
      resolve({ code: code ?? 128, stdout, stderr });
    });
  });
}

/** The last lines of a command's output, for error messages. */
export const lastLines = ({ stdout, stderr }, count = 15) =>
  `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
