import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FileHashes } from '@slipway/model-store';
import { diskFull, TrainingFault } from '../../training-fault.js';

const CONFIG = 'config.json';
const WITHIN_MS = 3_600_000;
/** With which the converter says that a base has no other form. */
const UNCONVERTIBLE = 3;

export interface HfBasesOptions {
  /** Folder of converted bases. */
  readonly folder: string;
  /** Path of the program that converts. */
  readonly converter: string;
}

/** Bases in the form of Hugging Face, which torch reads. */
export class HfBases {
  constructor(private readonly options: HfBasesOptions) {}

  /**
   * The folder beside the GGUF that has its name without `.gguf`, or one that is made of it once for each content.
   * @param python that runs the converter
   * @throws TrainingFault `base_not_trainable` for a base that cannot be converted, `no_disk` without room
   */
  async folderOf(base: string, python: string): Promise<string> {
    const beside = join(dirname(base), basename(base).replace(/\.gguf$/i, ''));
    if (await isBase(beside)) return beside;
    const { folder } = this.options;
    await mkdir(folder, { recursive: true });
    const { sha256 } = await new FileHashes(folder).of(base);
    const made = join(folder, sha256);
    if (!(await isBase(made))) await this.#convert(base, python, made);
    return made;
  }

  async #convert(base: string, python: string, to: string): Promise<void> {
    const draft = await mkdtemp(join(this.options.folder, 'draft-'));
    try {
      await this.#run(python, base, draft);
      // Trainers run as a user of their own.
      for (const name of await readdir(draft)) await chmod(join(draft, name), 0o644);
      await chmod(draft, 0o755);
      await rename(draft, to).catch(async (error: unknown) => {
        if (!(await isBase(to))) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #run(python: string, base: string, draft: string): Promise<void> {
    const options = { env: { PATH: '/usr/bin:/bin', HOME: draft, PYTHONDONTWRITEBYTECODE: '1' }, timeout: WITHIN_MS };
    try {
      await promisify(execFile)(python, [this.options.converter, base, draft], options);
    } catch (cause) {
      const { code, stdout = '', stderr = '' } = cause as { code?: number; stdout?: string; stderr?: string };
      if (/No space left on device/i.test(stderr)) throw diskFull(cause);
      const [said = ''] = stdout.trim().split('\n');
      const message = code === UNCONVERTIBLE && said !== '' ? said : 'The base could not be converted into the form that torch reads.';
      throw new TrainingFault('base_not_trainable', message, {}, { cause });
    }
  }
}

async function isBase(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.includes(CONFIG) && names.some((name) => name.endsWith('.safetensors')) && (await stat(join(folder, CONFIG))).isFile();
}
