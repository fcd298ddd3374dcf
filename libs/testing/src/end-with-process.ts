import type { ChildProcess } from 'node:child_process';

const children = new Set<ChildProcess>();

function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Kills a child when this process ends without having stopped it. */
export function endWithProcess(child: ChildProcess): void {
  if (children.size === 0) process.on('exit', killChildren);
  children.add(child);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) process.off('exit', killChildren);
  });
}
