import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * Whether what a trainer names lies in its folder and is its own: files and folders, no links. A worker may read more than its trainer,
 * and would store what a link leads to.
 */
export function isOwnFile(folder: string, path: string): boolean {
  try {
    const [home, named] = [realpathSync(folder), realpathSync(join(folder, path))];
    const owner = lstatSync(home).uid;
    return named === join(home, path) && named.startsWith(`${home}${sep}`) && isPlain(named, owner);
  } catch {
    return false;
  }
}

function isPlain(path: string, owner: number): boolean {
  const stats = lstatSync(path);
  if (stats.uid !== owner) return false;
  if (stats.isDirectory()) return readdirSync(path).every((name) => isPlain(join(path, name), owner));
  return stats.isFile();
}
