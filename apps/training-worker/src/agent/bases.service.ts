import { mkdir, readdir } from 'node:fs/promises';
import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { TrainerBase } from '@slipway/contracts';
import { FileHashes, fileIdentity } from '@slipway/model-store';
import { CONFIG, LOG, type Logger, LogThreshold } from '@slipway/platform';
import type { TrainingWorkerConfig } from '../config.js';
import type { ModelFacts } from '../scoring.js';
import { TaskProcess } from './task-process.js';

/** Time between two looks at the folders, in milliseconds. */
const LOOK_MS = 60_000;
const DEPTH_MAX = 3;
const BASES_MAX = 500;
/** Files that belong to a model and are none by themselves. */
const PART = /mmproj|-000(?!01-of-)\d{2}-of-\d{5}\.gguf$/i;

/** The model files that adapters can be trained for here. */
@Injectable()
export class BasesService {
  readonly #hashes: FileHashes;
  readonly #facts = new Map<string, ModelFacts | null>();
  readonly #paces = new Map<string, number>();
  #bases: readonly TrainerBase[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #stopped = false;

  constructor(
    @Inject(CONFIG) private readonly config: TrainingWorkerConfig,
    @Inject(LOG) private readonly log: Logger,
    private readonly threshold: LogThreshold,
  ) {
    this.#hashes = new FileHashes(resolve(config.TRAINING_DIR));
  }

  async start(): Promise<void> {
    await mkdir(this.config.TRAINING_DIR, { recursive: true });
    this.#looking = this.#look();
    this.#timer = setInterval(() => {
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look());
    }, LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** The bases that were found so far. */
  list(): TrainerBase[] {
    return this.#bases.map((base) => ({ ...base, pace: this.#paces.get(base.sha256) ?? null }));
  }

  find(name: string): TrainerBase | undefined {
    return this.#bases.find(({ base }) => base === name);
  }

  /** Remembers how many tokens a second were learned on a base. */
  measured(sha256: string, tokensPerSecond: number): void {
    if (tokensPerSecond > 0) this.#paces.set(sha256, tokensPerSecond);
  }

  async #look(): Promise<void> {
    const found = new Map<string, TrainerBase>();
    const files = await Promise.all(this.config.MODEL_DIRS.map((folder) => ggufFiles(resolve(folder), DEPTH_MAX)));
    for (const path of files.flat()) {
      if (this.#stopped || found.size >= BASES_MAX) break;
      const base = await this.#describe(path).catch((error: unknown) => {
        this.log.warn({ file: basename(path), err: error }, 'bases.unreadable');
        return null;
      });
      // Of two files with one name the first counts: jobs name it.
      if (base && !found.has(base.base)) found.set(base.base, base);
    }
    if (!this.#stopped) this.#bases = [...found.values()];
  }

  async #describe(path: string): Promise<TrainerBase | null> {
    const identity = await fileIdentity(path);
    const known = this.#facts.get(identity);
    const facts = known === undefined ? await this.#ask(path) : known;
    this.#facts.set(identity, facts);
    if (!facts?.hasTemplate) return null;
    const { sha256 } = await this.#hashes.of(path);
    const { architecture, parameters, context, hashes, shape } = facts;
    return {
      base: basename(path, '.gguf').toLowerCase().slice(0, 200),
      ...{ path, architecture, parameters, context, sha256 },
      bytes: statSync(path).size,
      template_sha256: hashes.templateSha256,
      tokenizer_sha256: hashes.tokenizerSha256,
      pace: null,
      ...(shape && { shape }),
    };
  }

  /** In a process of its own: the agent does not load the library that reads models. */
  async #ask(path: string): Promise<ModelFacts | null> {
    let facts: ModelFacts | null = null;
    const task = new TaskProcess({ k: 'describe', path }, this.threshold, (message) => {
      if (message.k === 'described') ({ facts } = message);
    });
    await task.ended;
    return facts;
  }
}

async function ggufFiles(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0 && !entry.name.startsWith('.')) files.push(...(await ggufFiles(path, depth - 1)));
    if ((entry.isFile() || entry.isSymbolicLink()) && entry.name.toLowerCase().endsWith('.gguf') && !PART.test(entry.name))
      files.push(path);
  }
  return files;
}
