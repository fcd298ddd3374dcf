import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { diskFull, TrainingFault } from '../../training-fault.js';
import { parsePipLine, pipFault } from './pip-output.js';

export const TORCH_SOURCES = fileURLToPath(new URL('../../../../../trainers/torch/', import.meta.url));
const LOCK = 'requirements.lock';
const PYTHON = 'bin/python';
const DRAFT = 'draft-torch-';
/** Kept until an installation is whole: one that was broken off fetches no file again. */
const CACHE = 'torch-downloads';
/** Pythons that the lock file has files for, the newest first, after the one that is called `python3`. */
const PYTHONS = ['python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const OLDEST = [3, 11] as const;
const NEWEST = [3, 14] as const;
/** Packages, and what they are unpacked from: on Linux 5.8 GB and 3 GB. */
const DISK_BYTES = 9e9;
/** A draft that is older belongs to an installation that was killed, in milliseconds. */
const STALE_MS = 7_200_000;
const WITHIN_MS = 3_600_000;
/** How pip reaches the registry, and Python its programs. */
const VARIABLES = /^(PATH|HOME|PIP_.*|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|SSL_CERT_.*|REQUESTS_CA_BUNDLE)$/;

export interface TorchInstallOptions {
  /** Folder of all installed trainers. */
  readonly folder: string;
  /** A Python that has the packages already; absent = one is installed. */
  readonly python?: string | undefined;
  /** Folder of the lock file; absent = that of this repository. */
  readonly sources?: string;
}

/** Installs Python packages as the lock file pins them, each by the hash of its file, once for each state of the lock file. */
export class TorchInstall {
  readonly #sources: string;
  #state: Promise<string> | undefined;

  constructor(private readonly options: TorchInstallOptions) {
    this.#sources = options.sources ?? TORCH_SOURCES;
  }

  /** Path of the Python that has the packages; null before they are installed. */
  async find(): Promise<string | null> {
    const python = this.options.python ?? join(await this.#home(), PYTHON);
    return (await exists(python)) ? python : null;
  }

  /**
   * Installs what is missing. Processes that do it at once do not disturb each other.
   * @param onProgress gets the name of each package that is fetched, with its size
   * @throws TrainingFault `trainer_unavailable` or `no_disk`, with what the operator can do
   */
  async ensure(signal: AbortSignal, onProgress: (what: string) => void = () => undefined): Promise<string> {
    const found = await this.find();
    if (found !== null) return found;
    if (this.options.python !== undefined) throw unavailable(`There is no program at TORCH_PYTHON (${this.options.python}).`);
    const python = await findPython();
    await mkdir(this.options.folder, { recursive: true });
    await this.#assertRoom();
    await this.#install(python, signal, onProgress);
    return join(await this.#home(), PYTHON);
  }

  async #install(python: string, signal: AbortSignal, onProgress: (what: string) => void): Promise<void> {
    const { folder } = this.options;
    const home = await this.#home();
    const draft = await mkdtemp(join(folder, DRAFT));
    try {
      onProgress('a Python of its own');
      await makeEnvironment(python, draft, signal);
      await runPip(draft, { lock: join(this.#sources, LOCK), cache: join(folder, CACHE), signal, onProgress });
      await rm(join(draft, 'tmp'), { recursive: true, force: true });
      // Trainers run as a user of their own.
      await chmod(draft, 0o755);
      await rename(draft, home).catch(async (error: unknown) => {
        if (!(await exists(home))) throw error;
      });
      await rm(join(folder, CACHE), { recursive: true, force: true });
      await this.#removeEarlier(home);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #assertRoom(): Promise<void> {
    const { bavail, bsize } = await statfs(this.options.folder);
    const free = bavail * bsize;
    if (free >= DISK_BYTES) return;
    const message = `The torch trainer takes ${DISK_BYTES / 1e9} GB while it is installed, and the disk of ${this.options.folder} has ${(free / 1e9).toFixed(1)}.`;
    throw new TrainingFault('no_disk', message);
  }

  /** Installations of earlier lock files, and what killed ones left. */
  async #removeEarlier(home: string): Promise<void> {
    const { folder } = this.options;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const isStale = async (): Promise<boolean> => Date.now() - (await stat(path)).mtimeMs > STALE_MS;
      const isEarlier = /^torch-[0-9a-f]{16}$/.test(name) && path !== home;
      if (isEarlier || (name.startsWith(DRAFT) && (await isStale().catch(() => false)))) await rm(path, { recursive: true, force: true });
    }
  }

  async #home(): Promise<string> {
    this.#state ??= readFile(join(this.#sources, LOCK)).then((lock) => createHash('sha256').update(lock).digest('hex').slice(0, 16));
    return join(this.options.folder, `torch-${await this.#state}`);
  }
}

const unavailable = (message: string, cause?: unknown): TrainingFault => new TrainingFault('trainer_unavailable', message, {}, { cause });

/** The first Python that the packages run on. @throws TrainingFault `trainer_unavailable` */
async function findPython(): Promise<string> {
  for (const name of PYTHONS) {
    const { stdout } = await promisify(execFile)(name, ['--version']).catch(() => ({ stdout: '' }));
    const [, major = 0, minor = 0] = /^Python (\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
    if (major === OLDEST[0] && minor >= OLDEST[1] && minor <= NEWEST[1]) return name;
  }
  const range = `${OLDEST.join('.')} to ${NEWEST.join('.')}`;
  throw unavailable(
    `The torch trainer needs Python ${range} with venv, which this machine does not have (Debian: apt install python3-venv). TORCH_PYTHON names one that has the packages already.`,
  );
}

/** Variables of pip and of Python. What is unpacked lies in the folder: a temporary one is often memory. */
function environmentOf(draft: string): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- pip finds its registry in there
  const inherited = Object.entries(process.env).filter(([name]) => VARIABLES.test(name));
  return { HOME: draft, ...Object.fromEntries(inherited), TMPDIR: join(draft, 'tmp') };
}

async function makeEnvironment(python: string, draft: string, signal: AbortSignal): Promise<void> {
  await mkdir(join(draft, 'tmp'));
  try {
    await promisify(execFile)(python, ['-m', 'venv', draft], { env: environmentOf(draft), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw unavailable('Python could not make an environment. Install its module venv (Debian: apt install python3-venv).', cause);
  }
}

interface PipRun {
  readonly lock: string;
  readonly cache: string;
  readonly signal: AbortSignal;
  readonly onProgress: (what: string) => void;
}

/** Addresses in pip's messages may hold credentials, so only what is wrong is handed on. */
async function runPip(draft: string, { lock, cache, signal, onProgress }: PipRun): Promise<void> {
  const quiet = ['--no-input', '--progress-bar', 'off', '--disable-pip-version-check'];
  const pinned = ['--require-hashes', '--only-binary', ':all:', '--no-deps', '--cache-dir', cache, '-r', lock];
  const options = {
    env: environmentOf(draft),
    signal,
    timeout: WITHIN_MS,
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  const pip = spawn(join(draft, PYTHON), ['-m', 'pip', 'install', ...quiet, ...pinned], options);
  let errors = '';
  pip.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-20_000)));
  createInterface({ input: pip.stdout }).on('line', (line) => {
    const what = parsePipLine(line);
    if (what !== null) onProgress(what);
  });
  const code = await new Promise<number | null>((resolve) => pip.once('close', resolve).once('error', () => resolve(null)));
  signal.throwIfAborted();
  if (code === 0) return;
  const { reason, isDisk } = pipFault(errors);
  if (isDisk) throw diskFull();
  throw unavailable(`pip could not install the torch trainer: ${reason}`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
