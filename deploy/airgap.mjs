// Takes the images of docker-compose.yml to a host without a registry:
//
//   node deploy/airgap.mjs save FILE     builds or pulls what is missing, writes FILE and FILE.json
//   node deploy/airgap.mjs load FILE     loads FILE and checks every image against FILE.json
//
// FILE is an archive of `docker save`; FILE.json has the digest of the archive and of each image. Profiles are chosen
// with COMPOSE_PROFILES, as for docker compose. DOCKER names another program with the same commands.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const docker = process.env.DOCKER || 'docker';

/** A failure for which the message is enough. */
class AirgapError extends Error {}

/** Runs docker. @returns what it printed; with `show`, its output goes to the terminal */
function run(args, { show = false } = {}) {
  const stdio = ['ignore', show ? 'inherit' : 'pipe', 'inherit'];
  const { status, stdout, error } = spawnSync(docker, args, { cwd: root, encoding: 'utf8', stdio });
  if (error) throw new AirgapError(`${docker} cannot be run: ${error.message}`);
  if (status !== 0) throw new AirgapError(`${docker} ${args.join(' ')} failed.`);
  return stdout ?? '';
}

/** Digest of an image's configuration, which names its layers; null where the image is not on this host. */
function idOf(image) {
  const { status, stdout } = spawnSync(docker, ['image', 'inspect', '--format', '{{.Id}}', image], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

async function digestOf(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `sha256:${hash.digest('hex')}`;
}

async function save(file) {
  const { services } = JSON.parse(run(['compose', 'config', '--format', 'json']));
  const isBuilt = new Map();
  for (const { image, build } of Object.values(services)) isBuilt.set(image, isBuilt.get(image) || build !== undefined);
  if ([...isBuilt].some(([image, built]) => built && idOf(image) === null)) run(['compose', 'build'], { show: true });
  for (const [image, built] of isBuilt) if (!built && idOf(image) === null) run(['pull', image], { show: true });
  const names = [...isBuilt.keys()].toSorted((a, b) => a.localeCompare(b));
  run(['save', '--output', file, ...names]);
  const images = Object.fromEntries(names.map((image) => [image, idOf(image)]));
  writeFileSync(`${file}.json`, `${JSON.stringify({ archive: await digestOf(file), images }, null, 2)}\n`);
  console.log(`${names.length} images are in ${file}: ${names.join(', ')}. Take ${file}.json with it.`);
}

async function load(file) {
  const wanted = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
  const found = await digestOf(file);
  if (found !== wanted.archive) throw new AirgapError(`${file} is damaged: its digest is ${found}, not ${wanted.archive}.`);
  run(['load', '--input', file], { show: true });
  const others = Object.entries(wanted.images).filter(([image, id]) => idOf(image) !== id);
  if (others.length > 0) throw new AirgapError(`These are other images than were saved: ${others.map(([image]) => image).join(', ')}.`);
  console.log(`${Object.keys(wanted.images).length} images are loaded as they were saved.`);
}

const [command, file] = process.argv.slice(2);
const commands = { save, load };
if (!Object.hasOwn(commands, command ?? '') || !file) {
  console.error('Call it as: node deploy/airgap.mjs save|load FILE');
  process.exit(2);
}
try {
  await commands[command](file);
} catch (error) {
  if (!(error instanceof AirgapError) && error.code !== 'ENOENT') throw error;
  console.error(error.message);
  process.exitCode = 1;
}
