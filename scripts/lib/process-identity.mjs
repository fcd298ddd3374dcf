import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const LINUX = process.platform === 'linux';

/** Start times on Linux are relative to the boot. */
const bootId = LINUX ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8) : '';

/** Fields of /proc/<pid>/stat from the third; the second, the name, may contain spaces and brackets. */
function procStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function startOnMac(pid) {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', PATH: process.env.PATH },
    });
    const [stat, ...started] = text.trim().split(/\s+/);
    return stat.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null;
  }
}

/**
 * Start time of a process in a system-specific form; null when it does not exist or is a zombie. With the pid it identifies a process,
 * although pids are reused.
 * @param {number} pid
 * @returns {string | null}
 */
export function startTimeOf(pid) {
  if (!LINUX) return startOnMac(pid);
  const stat = procStat(pid);
  return stat === null || stat[0] === 'Z' || stat[0] === 'X' ? null : `${bootId}:${stat[19]}`;
}

/** @returns {{ pid: number, started: string | null }} */
export const ownIdentity = () => ({ pid: process.pid, started: startTimeOf(process.pid) });

/** True while this process runs. @param {{ pid: number, started: string | null }} identity */
export const isRunning = ({ pid, started }) => started !== null && startTimeOf(pid) === started;

function membersOnMac(leader) {
  try {
    const rows = execFileSync('ps', ['-axo', 'pid=,pgid='], { encoding: 'utf8' }).trim().split('\n');
    return rows.map((row) => row.trim().split(/\s+/).map(Number)).flatMap(([pid, group]) => (group === leader ? [pid] : []));
  } catch {
    return [];
  }
}

/**
 * The processes of the session (macOS: process group) of `leader`, itself included. Its number is not reused while one of them runs, so
 * they are also found after the leader has ended.
 * @param {number} leader
 * @returns {number[]}
 */
export function sessionMembers(leader) {
  if (!LINUX) return membersOnMac(leader);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = procStat(pid);
      return stat !== null && stat[0] !== 'Z' && Number(stat[3]) === leader;
    });
}
