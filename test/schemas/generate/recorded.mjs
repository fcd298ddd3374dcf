import { readFileSync, writeFileSync } from 'node:fs';

/** The version of a library that is installed beside this file. */
const versionOf = (library) => JSON.parse(readFileSync(new URL(`./node_modules/${library}/package.json`, import.meta.url), 'utf8')).version;

/** Writes one file of the corpus: which libraries made it, and its schemas by name, one a line. */
export function record(file, libraries, schemas) {
  const madeBy = Object.fromEntries(libraries.map((library) => [library, versionOf(library)]));
  const lines = Object.entries(schemas).map(([name, schema]) => `    ${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
  const text = `{\n  "madeBy": ${JSON.stringify(madeBy)},\n  "schemas": {\n${lines.join(',\n')}\n  }\n}\n`;
  writeFileSync(new URL(`../corpus/${file}`, import.meta.url), text);
  console.error(`${file}: ${lines.length} schemas`);
}

/** The schemas of all types for which the library writes one; the others are named on standard error. */
export function writtenBy(library, types, write) {
  const written = {};
  for (const [name, make] of Object.entries(types)) {
    try {
      written[name] = write(make(), name);
    } catch (error) {
      console.error(`${library} writes no schema for ${name}: ${error.message.split('\n')[0]}`);
    }
  }
  return written;
}
