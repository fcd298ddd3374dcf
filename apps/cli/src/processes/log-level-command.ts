import { hostname, userInfo } from 'node:os';
import { LOG_LEVELS, type LogLevel, LogLevelSpan, type ProcessLog, ReadProcess, SetLogLevel } from '@slipway/contracts';
import { CliError, UsageError } from '../cli-errors.js';
import { type Action, type Answer, type Call, type CliCommand, command } from '../command.js';
import { OPERATOR, type Session } from '../session/session.js';
import { table } from '../table.js';
import { spanMs } from '../times.js';
import { type Answers, askProcesses, kindOf } from './named-processes.js';

/** Word that ends a level before its time. */
const RESET = 'reset';

/** Parser of a level, or of the word that ends one. */
function levelOrReset(text: string): LogLevel | typeof RESET {
  const word = [...LOG_LEVELS, RESET as typeof RESET].find((one) => one === text);
  if (word === undefined) throw new UsageError(`It takes one of ${LOG_LEVELS.join(', ')}, or ${RESET}.`);
  return word;
}

/** Parser of a time in seconds. */
function span(text: string): number {
  const seconds = LogLevelSpan.safeParse((spanMs(text, 'smhd') ?? Number.NaN) / 1_000);
  if (!seconds.success) throw new UsageError('It takes a time from 1s to 24h, such as 90s, 10m or 2h.');
  return seconds.data;
}

/** Who runs this, for the logs of the processes; without a name where the system knows none for the user. */
function caller(): string {
  try {
    return `slipway-cli ${userInfo().username}@${hostname()}`;
  } catch {
    return `slipway-cli @${hostname()}`;
  }
}

/** What the logs of processes have, for `--json` and for people. */
function levelsOf(logs: Answers<ProcessLog>['answered'], silent: readonly string[]) {
  const processes = logs.map(({ of, answer }) => ({ process: kindOf(of), wk: of.wk, host: of.host, ...answer }));
  const text = table(
    ['PROCESS', 'NAME', 'HOST', 'LEVEL', 'UNTIL', 'CONFIGURED'],
    processes.map((one) => [one.process, one.wk, one.host, one.level, one.until, one.configured]),
  );
  return { json: { processes, silent }, text };
}

async function show(session: Session, name: string): Promise<Answer> {
  const { answered, silent } = await askProcesses(session, name, ReadProcess, {});
  const logs = answered.map(({ of, answer: { log } }) => ({ of, answer: log }));
  return { ...levelsOf(logs, silent), note: silent.length > 0 ? silent.join('\n') : undefined };
}

/** @throws CliError `process_silent` when one of them did not answer: it may write at the level of before */
async function change(session: Session, name: string, to: { level: LogLevel | null; seconds?: number | undefined }): Promise<Answer> {
  const actor = { ...OPERATOR, client: caller().slice(0, 200) };
  const { answered, silent } = await askProcesses(session, name, SetLogLevel, { ...to, actor });
  const levels = levelsOf(answered, silent);
  if (silent.length === 0) return levels;
  throw new CliError('process_silent', `${silent.join('\n')}\nThe others did it:\n${levels.text}`, levels.json);
}

/** `npx slipway log-level`. */
export const logLevel: CliCommand = command(
  'log-level',
  'Shows or sets the level of the logs of running processes, for a time.',
  'It goes back to LOG_LEVEL by itself, and at the end of the process. Runners and jobs follow their worker.',
)
  .argument('<PROCESS>', 'a process or a name of one, as "status" shows them')
  .argument('[LEVEL]', `${LOG_LEVELS.join(', ')}, or ${RESET}; without it the present one is shown`, levelOrReset)
  .option('--for <TIME>', 'how long, at most 24h, such as 90s, 10m or 2h (default: 10m)', span)
  .examples('log-level gateway debug --for 10m', 'log-level gateway', 'log-level gateway reset')
  .plans(({ options }: Call<{ for?: number }>, name: string, level?: LogLevel | typeof RESET): Action => {
    const { for: seconds } = options;
    if (seconds !== undefined && (level === undefined || level === RESET)) throw new UsageError('--for needs a level.');
    if (level === undefined) return (session) => show(session, name);
    return (session) => change(session, name, level === RESET ? { level: null } : { level, seconds });
  });
