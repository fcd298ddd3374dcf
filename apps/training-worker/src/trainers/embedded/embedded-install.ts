import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, constants, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from '@slipway/platform';
import { TrainingFault } from '../../training-fault.js';
import { copyWithThreads, libraryFolder, readThreadPlaces } from './thread-patch.js';

const SOURCES = fileURLToPath(new URL('../../../../../trainers/embedded/', import.meta.url));
const MANIFEST = ['package.json', 'package-lock.json'];
const PROGRAM = 'train.cjs';
const THREADS = 'threads.json';
const PLATFORM = 'linux-x64';
const BARE = `node_modules/bare-runtime-${PLATFORM}/bin/bare`;
const PREBUILDS = 'prebuilds';
const CACHE = '.npm-cache';
const DRAFT = 'draft-';
/** A draft that is older belongs to an installation that was killed, in milliseconds. */
const STALE_MS = 3_600_000;
const INSTALL_WITHIN_MS = 900_000;

/** Variables of npm: how it reaches the registry. */
const NPM_VARIABLES =
  /^(PATH|HOME|TMPDIR|npm_config_.*|NPM_CONFIG_.*|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_.*)$/;

/** An installed embedded trainer; all paths are absolute. */
export interface InstalledTrainer {
  /** The runtime that runs `program`. */
  readonly bare: string;
  readonly program: string;
  /** Folder of CPU libraries with the wanted number of threads. */
  readonly backends: string;
}

export interface EmbeddedInstallOptions {
  /** Folder of all installed trainers. */
  readonly folder: string;
  readonly threads: number;
  readonly log: Logger;
  /** Folder of the lock file, the program and the places of thread counts; absent = that of this repository. */
  readonly sources?: string;
}

/** Installs the embedded trainer as its lock file pins it, once for each state of its files. */
export class EmbeddedInstall {
  readonly #sources: string;
  #state: Promise<string> | undefined;

  constructor(private readonly options: EmbeddedInstallOptions) {
    this.#sources = options.sources ?? SOURCES;
  }

  /** Null before it is installed. */
  async find(): Promise<InstalledTrainer | null> {
    const home = await this.#home();
    const found = { bare: join(home, BARE), program: join(home, PROGRAM), backends: this.#backends(home) };
    for (const path of [found.bare, found.program, found.backends]) if (!(await exists(path))) return null;
    return found;
  }

  /**
   * Installs what is missing. Processes that do it at once do not disturb each other.
   * @throws TrainingFault `trainer_unavailable` with what the operator can do
   */
  async ensure(signal: AbortSignal): Promise<InstalledTrainer> {
    const refusal = platformRefusal();
    if (refusal !== null) throw new TrainingFault('trainer_unavailable', refusal);
    const found = await this.find();
    if (found) return found;
    const home = await this.#home();
    if (await exists(home)) await this.#addThreads(home);
    else await this.#install(home, signal);
    const installed = await this.find();
    if (installed) return installed;
    throw new TrainingFault('trainer_unavailable', 'The embedded trainer was installed, but its files are missing.');
  }

  async #install(home: string, signal: AbortSignal): Promise<void> {
    const { folder, log } = this.options;
    const startedAt = performance.now();
    log.info({ folder }, 'trainer.installing');
    await mkdir(folder, { recursive: true });
    const draft = await mkdtemp(join(folder, DRAFT));
    try {
      for (const file of [...MANIFEST, PROGRAM]) await copyFile(join(this.#sources, file), join(draft, file));
      await runNpm(draft, signal);
      await rm(join(draft, CACHE), { recursive: true, force: true });
      await this.#prune(join(draft, 'node_modules'));
      await this.#addThreads(draft);
      // npm makes only the programs executable that a package names as such.
      await chmod(join(draft, BARE), 0o755);
      await keep(draft, home);
      await this.#removeEarlier(home);
      log.info({ ms: Math.round(performance.now() - startedAt) }, 'trainer.installed');
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #addThreads(home: string): Promise<void> {
    const places = await readThreadPlaces(join(this.#sources, THREADS));
    const draft = await mkdtemp(join(home, DRAFT));
    await copyWithThreads(places, join(home, 'node_modules'), draft, this.options.threads);
    await keep(draft, this.#backends(home));
  }

  /** Removes binaries of other platforms and of GPUs: 530 of 670 MB. */
  async #prune(modules: string): Promise<void> {
    const packages = (await readdir(modules)).flatMap((name) => (name.startsWith('@') ? [] : [join(modules, name)]));
    const scoped = (await readdir(modules)).filter((name) => name.startsWith('@'));
    for (const scope of scoped) for (const name of await readdir(join(modules, scope))) packages.push(join(modules, scope, name));
    for (const folder of packages) {
      const foreign = (await readdir(join(folder, PREBUILDS)).catch(() => [])).filter((name) => name !== PLATFORM);
      for (const name of foreign) await rm(join(folder, PREBUILDS, name), { recursive: true, force: true });
    }
    const libraries = libraryFolder(await readThreadPlaces(join(this.#sources, THREADS)), modules);
    const gpu = (await readdir(libraries).catch(() => [])).filter((name) => name.includes('vulkan'));
    for (const name of gpu) await rm(join(libraries, name));
  }

  /** Installations of earlier states, and what killed ones left. */
  async #removeEarlier(home: string): Promise<void> {
    const { folder } = this.options;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const isDraft = name.startsWith(DRAFT);
      const isOld = !isDraft || Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs > STALE_MS;
      if (path !== home && isOld && (isDraft || name.startsWith('embedded-'))) await rm(path, { recursive: true, force: true });
    }
  }

  #backends(home: string): string {
    return join(home, `threads-${this.options.threads}`);
  }

  async #home(): Promise<string> {
    this.#state ??= stateOf(this.#sources);
    return join(this.options.folder, `embedded-${await this.#state}`);
  }
}

async function stateOf(sources: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of [...MANIFEST, PROGRAM, THREADS]) hash.update(await readFile(join(sources, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Why it cannot run on this machine; null where it can. */
export function platformRefusal(): string | null {
  const here = `${process.platform}-${process.arch}`;
  return here === PLATFORM ? null : `The embedded trainer runs on ${PLATFORM}; this machine is ${here}.`;
}

/** No script of a package runs. Addresses in npm's messages may hold credentials, so only its error code is handed on. */
async function runNpm(folder: string, signal: AbortSignal): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- npm finds its registry in there
  const inherited = Object.entries(process.env).filter(([name]) => NPM_VARIABLES.test(name));
  const given = Object.fromEntries(inherited) as Readonly<Record<string, string>>;
  const home = given['HOME'] ?? tmpdir();
  const hasCache = await access(home, constants.W_OK).then(
    () => true,
    () => false,
  );
  // In a container the home folder is read-only, and the temporary one is memory.
  const env = { ...given, HOME: hasCache ? home : folder, ...(!hasCache && { npm_config_cache: join(folder, CACHE) }) };
  const options = { cwd: folder, env, timeout: INSTALL_WITHIN_MS, signal, maxBuffer: 2 ** 24 };
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--install-strategy=hoisted'], options);
  } catch (cause) {
    signal.throwIfAborted();
    const { stderr = '', code = '' } = cause as { stderr?: string; code?: string | number };
    const [, reason = String(code)] = /npm error code (\w+)/.exec(stderr) ?? [];
    const message = `npm could not install the embedded trainer (${reason}). This machine needs npm and a registry, or an image that holds the trainer.`;
    throw new TrainingFault('trainer_unavailable', message, {}, { cause });
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Another process may have been faster; its files are as good. Other users read them: trainers run as one of their own. */
async function keep(draft: string, folder: string): Promise<void> {
  await chmod(draft, 0o755);
  try {
    await rename(draft, folder);
  } catch (error) {
    if (!(await exists(folder))) throw error;
    await rm(draft, { recursive: true, force: true });
  }
}
