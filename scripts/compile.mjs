// Compiles all apps and libraries and links what starts as a process. `node scripts/compile.mjs apps/gateway`
// compiles this app alone, and the libraries.
import { fileURLToPath } from 'node:url';
import { compileProjects } from './lib/compile.mjs';
import { linkPrograms } from './lib/link.mjs';
import { compiledProjects } from './lib/projects.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const apps = process.argv.slice(2);
const projects = compiledProjects(root);
const unknown = apps.filter((app) => !projects.includes(app));
if (unknown.length > 0) {
  console.error(`No such app: ${unknown.join(', ')}.`);
  process.exit(2);
}

try {
  compileProjects(root, apps.length === 0 ? projects : projects.filter((project) => project.startsWith('libs/') || apps.includes(project)));
  await linkPrograms(root);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
