import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { outputOf, sourcesOf } from './projects.mjs';

/** What `tsconfig.base.json` says to the compiler. */
const OPTIONS = {
  lang: 'ts',
  target: 'es2023',
  sourcemap: true,
  // No configuration is looked for beside each file.
  tsconfig: false,
  decorator: { legacy: true, emitDecoratorMetadata: true },
  typescript: { onlyRemoveTypeImports: true },
};

/** Leaves a file alone that is the same already: a process that runs may be about to load it. */
function write(path, content) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== content) writeFileSync(path, content);
}

function compileFile(root, source) {
  const { code, map, errors } = transformSync(source, readFileSync(join(root, source), 'utf8'), OPTIONS);
  if (errors.length > 0) throw new Error(`${source}: ${errors[0].message}`);
  const output = join(root, outputOf(source));
  const folder = dirname(output);
  mkdirSync(folder, { recursive: true });
  const { sourcesContent: _, ...rest } = map;
  write(`${output}.map`, JSON.stringify({ ...rest, file: basename(output), sources: [relative(folder, join(root, source))] }));
  write(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
}

/**
 * Translates the sources of projects into their `dist`, each file by itself and without a look at types: those are a check of
 * their own (`npm run lint types`).
 * @param {string} root the repository
 * @param {readonly string[]} projects folders, such as `apps/gateway`
 * @throws Error that names the first file which is no TypeScript, and what is wrong with it
 */
export function compileProjects(root, projects) {
  for (const project of projects) for (const source of sourcesOf(root, project)) compileFile(root, source);
}
