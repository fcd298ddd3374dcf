import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Extensions of the compressed copies that the dashboard's build makes. */
const COPY = /\.(?:br|gz)$/;

/** Names of the built dashboard's files, read once: no other path reaches the file system. */
export class DashboardFiles {
  readonly #paths: ReadonlySet<string>;

  private constructor(
    /** Folder of the build, absolute. */
    readonly root: string,
    paths: readonly string[],
  ) {
    this.#paths = new Set(paths);
  }

  /** Lists a build; one that is missing has no files. */
  static async load(folder: string): Promise<DashboardFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile() && !COPY.test(entry.name));
    const paths = files.map((entry) => `/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`);
    return new DashboardFiles(folder, paths);
  }

  /** Whether the dashboard was built. */
  get areBuilt(): boolean {
    return this.has('/index.html');
  }

  /** @param path as in a URL, from the slash on */
  has(path: string): boolean {
    return this.#paths.has(path);
  }
}
