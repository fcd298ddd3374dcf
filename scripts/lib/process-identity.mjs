import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const LINUX = process.platform === 'linux';

/** Start times on Linux count from the boot. */
const bootId = LINUX ? readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8) : '';

/** Fields of /proc/<pid>/stat from the third on; the second, the name, may hold blanks and brackets. */
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
 * When a process was started, in the system's own terms; null when there is none, or only a zombie.
 * With the pid it names one process for ever, although pids are used again.
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

/** True while exactly this process runs. @param {{ pid: number, started: string | null }} identity */
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
 * The processes of the session (macOS: process group) that `leader` opened, itself included. The
 * number is not given to a new process while one of them lives, so they are known after its death too.
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
