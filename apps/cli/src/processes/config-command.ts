import { ReadProcess, type RunningProcess } from '@slipway/contracts';
import { type CliCommand, command } from '../command.js';
import { table } from '../table.js';
import { askProcesses } from './named-processes.js';

type Setting = RunningProcess['settings'][number];

const levelText = ({ log }: RunningProcess): string => (log.until === null ? log.level : `${log.level} until ${log.until}`);

/** A line for each process. */
const processLines = (processes: readonly RunningProcess[]): string =>
  table(
    ['PROCESS', 'NAME', 'HOST', 'RELEASE', 'PID', 'STARTED', 'LOG LEVEL'],
    processes.map((one) => [one.service, one.wk, one.host, one.release, one.pid, one.started_at, levelText(one)]),
  );

const isSame = (one: Setting | undefined, other: Setting | undefined): boolean =>
  one?.value === other?.value && one?.source === other?.source;

/** The settings of the processes: once where all have the same, else a line for each process. */
export function settingsText(processes: readonly RunningProcess[]): string {
  const settingsOf = new Map(processes.map((one) => [one, new Map(one.settings.map((setting) => [setting.name, setting]))]));
  const [first, ...others] = settingsOf.values();
  const names = [...new Set(processes.flatMap(({ settings }) => settings.map(({ name }) => name)))];
  const [same, different] = [true, false].map((wanted) =>
    names.filter((name) => others.every((settings) => isSame(settings.get(name), first?.get(name))) === wanted),
  );
  const parts = [processLines(processes)];
  const shared = (same ?? []).map((name) => [name, first?.get(name)?.value, first?.get(name)?.source]);
  parts.push(table(['SETTING', 'VALUE', 'FROM'], shared));
  if (!different?.length) return parts.join('\n\n');
  const rows = different.flatMap((name) =>
    [...settingsOf].map(([{ wk }, settings]) => [name, wk, settings.get(name)?.value, settings.get(name)?.source]),
  );
  return [...parts, 'Not the same in all of them:', table(['SETTING', 'NAME', 'VALUE', 'FROM'], rows)].join('\n\n');
}

/** `npx slipway config`. */
export const config: CliCommand = command(
  'config',
  'Shows the settings of running processes, without their secrets.',
  'A value is "set" by the environment of the process, or its "default"; a hyphen stands for none.',
)
  .argument('<PROCESS>', 'a process or a name of one, as "status" shows them')
  .examples('config gateway', 'config keys-service --json')
  .plans((_, name: string) => async (session) => {
    const { answered, silent } = await askProcesses(session, name, ReadProcess, {});
    const processes = answered.map(({ answer }) => answer);
    return { json: { processes, silent }, text: settingsText(processes), note: silent.length > 0 ? silent.join('\n') : undefined };
  });
