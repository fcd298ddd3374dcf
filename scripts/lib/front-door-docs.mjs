import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * The front doors of a repository's libraries: the sources of every entry of `exports` in their package.json.
 * @param {string} root
 * @returns {string[]} absolute paths
 */
function frontDoors(root) {
  const libs = join(root, 'libs');
  const packages = readdirSync(libs).filter((name) => existsSync(join(libs, name, 'package.json')));
  return packages.sort().flatMap((name) => {
    const { exports = {} } = JSON.parse(readFileSync(join(libs, name, 'package.json'), 'utf8'));
    return Object.values(exports).flatMap(({ source }) => (source ? [resolve(libs, name, source)] : []));
  });
}

/** Resolves what a library imports of itself and nothing else: docstrings need no types of other packages. */
function ownFile(name, importer) {
  if (!name.startsWith('.')) return undefined;
  const path = resolve(dirname(importer), name.replace(/\.js$/, '.ts'));
  return existsSync(path) ? { resolvedFileName: path, extension: ts.Extension.Ts, isExternalLibraryImport: false } : undefined;
}

function programOf(files) {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, importer) => literals.map(({ text }) => ({ resolvedModule: ownFile(text, importer) }));
  return ts.createProgram(files, options, host);
}

/**
 * Exports of the libraries' front doors that have no docstring.
 * @param {string} root the repository
 * @returns {string[]} one line each, `libs/…/file.ts:12 name`, in order
 * @throws {Error} when no library has a front door: then nothing would be checked
 */
export function bareExports(root) {
  const doors = frontDoors(root);
  if (doors.length === 0) throw new Error(`No package.json below ${join(root, 'libs')} names a front door.`);
  const program = programOf(doors);
  const checker = program.getTypeChecker();
  const bare = new Set();
  for (const door of doors) {
    const source = program.getSourceFile(door);
    const symbol = source && checker.getSymbolAtLocation(source);
    if (!symbol) throw new Error(`${relative(root, door)} is missing, or exports nothing.`);
    for (const exported of checker.getExportsOfModule(symbol)) {
      const named = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declaration = named.declarations?.[0];
      // What a door hands on from another package is documented there.
      if (!declaration || named.getDocumentationComment(checker).length > 0) continue;
      const file = declaration.getSourceFile();
      const line = file.getLineAndCharacterOfPosition(declaration.getStart()).line + 1;
      bare.add(`${relative(root, file.fileName)}:${line} ${exported.name}`);
    }
  }
  return [...bare].toSorted((a, b) => a.localeCompare(b, 'en'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bare = bareExports(fileURLToPath(new URL('../..', import.meta.url)));
  for (const line of bare) console.log(line);
  if (bare.length > 0) console.log(`${bare.length} exports of front doors have no docstring: say what each promises.`);
  process.exitCode = bare.length > 0 ? 1 : 0;
}
