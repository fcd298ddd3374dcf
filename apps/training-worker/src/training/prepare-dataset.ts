import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ModelTexts } from '../scoring.js';
import { TrainingFault } from '../training-fault.js';
import type { JobSettings } from './training-job.js';
import { ExamplePreparer, type LeftOut, type PreparedExample } from './prepared-example.js';
import { readExample } from './read-example.js';

/** Held-out examples at least and at most. */
const HELD = { least: 5, most: 500 };
/** Examples that are kept in memory for scoring, of the learned ones. */
const KEPT = 64;

/** Examples of which one is chosen to be learned first. */
const CANDIDATES = 32;

/** A data set, written for the trainer. */
export interface PreparedDataset {
  /** Learned examples. */
  readonly examples: number;
  /** The first examples in the order of training. */
  readonly first: readonly PreparedExample[];
  readonly held: readonly PreparedExample[];
  readonly leftOut: ReadonlyMap<LeftOut, number>;
  readonly learnedTokens: number;
  /** Tokens of the longest example. */
  readonly longest: number;
}

/** What the preparation of a data set needs. */
export interface PrepareOptions {
  /** Canonical JSONL. */
  readonly dataset: string;
  /** Folder that gets `train.jsonl`, `held.jsonl` and `template.jinja`. */
  readonly folder: string;
  readonly texts: ModelTexts;
  /** Tokens that the base takes. */
  readonly context: number;
  readonly settings: Pick<JobSettings, 'seed' | 'heldOut' | 'tooLong'>;
  /** Whether the trainer takes answers that are not learned. */
  readonly takesWeights: boolean;
  /** Chooses the example that is learned first, of the first ones in the order of training. */
  readonly chooseFirst: (candidates: readonly PreparedExample[]) => Promise<number>;
  readonly signal: AbortSignal;
}

/** The pieces as they are: the examples are rendered already. */
const VERBATIM = '{% for m in messages %}{{ m.content }}{% endfor %}';

interface Entry {
  readonly prompt: string;
  readonly order: string;
  readonly at: number;
  readonly bytes: number;
}

/** A number of 52 bits from a hash. */
const digest = (...parts: (string | number)[]): string => createHash('sha256').update(parts.join('\0')).digest('hex');
const share = (hex: string): number => Number.parseInt(hex.slice(0, 13), 16) / 2 ** 52;

/**
 * Renders all examples, holds some out and writes the rest in a random order that the seed decides.
 * @throws TrainingFault when nothing is left to learn, and for what the trainer cannot express
 */
export async function prepareDataset(options: PrepareOptions): Promise<PreparedDataset> {
  const { folder, dataset, texts, context, settings } = options;
  const preparer = new ExamplePreparer(texts, context, settings.tooLong);
  const leftOut = new Map<LeftOut, number>();
  const rendered = await open(join(folder, 'rendered.jsonl'), 'w+');
  try {
    const entries: Entry[] = [];
    let at = 0;
    for await (const line of createInterface({ input: createReadStream(dataset), crlfDelay: Infinity })) {
      options.signal.throwIfAborted();
      if (line.trim() === '') continue;
      const made = prepareLine(line, preparer, options.takesWeights);
      if (typeof made === 'string') leftOut.set(made, (leftOut.get(made) ?? 0) + 1);
      else {
        const text = Buffer.from(JSON.stringify(made));
        await rendered.write(text, 0, text.length, at);
        const prompt = digest(settings.seed, made.prompt);
        entries.push({ prompt, order: digest(settings.seed, line, entries.length), at, bytes: text.length });
        at += text.length;
      }
    }
    refuseTooLong(leftOut, settings.tooLong);
    if (entries.length === 0) throw nothingLeft(leftOut);
    const sides = split(entries, settings.heldOut);
    await moveFirst(sides.train, rendered, options.chooseFirst);
    return { ...(await writeFiles(folder, rendered, sides)), leftOut };
  } finally {
    await rendered.close();
  }
}

function prepareLine(line: string, preparer: ExamplePreparer, takesWeights: boolean): PreparedExample | LeftOut {
  const example = readExample(line);
  if (!example) return 'unreadable';
  const skips = example.messages.some(({ role }, i) => role === 'assistant' && example.learned[i] === false);
  if (skips && !takesWeights) {
    const message = 'This trainer learns every answer of a conversation. Remove the weights of 0, or use a trainer that takes them.';
    throw new TrainingFault('weights_need_torch', message);
  }
  return preparer.prepare(example);
}

function refuseTooLong(leftOut: ReadonlyMap<LeftOut, number>, tooLong: JobSettings['tooLong']): void {
  const count = leftOut.get('too_long') ?? 0;
  if (count === 0 || tooLong !== 'refuse') return;
  throw new TrainingFault('too_long', `${count} examples are longer than the base's context. Shorten them, or leave them out.`, { count });
}

function nothingLeft(leftOut: ReadonlyMap<LeftOut, number>): TrainingFault {
  const [most] = [...leftOut].toSorted(([, a], [, b]) => b - a);
  const why = most ? ` (mostly ${most[0]}: ${most[1]})` : '';
  return new TrainingFault('dataset_invalid', `No example can be learned by this base${why}.`, Object.fromEntries(leftOut));
}

/**
 * The same prompt is never on both sides. It is held out when its hash lies below the part, whatever else the data set holds: so what
 * one version of a data set learns, a larger one does not hold out. Only a small set holds out more, for a loss that says something.
 */
function split(entries: readonly Entry[], part: number): { train: Entry[]; held: Entry[] } {
  const inOrder = entries.toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const byChance = [...new Set(entries.map(({ prompt }) => prompt))].toSorted();
  const wanted = part === 0 ? 0 : HELD.least;
  const below = byChance.filter((prompt) => share(prompt) < part);
  const chosen = new Set(below.length >= wanted ? below.slice(0, HELD.most) : byChance.slice(0, wanted));
  const held = inOrder.filter(({ prompt }) => chosen.has(prompt));
  // Too few to divide: everything is learned.
  if (held.length * 2 > entries.length) return { train: inOrder, held: [] };
  return { train: inOrder.filter(({ prompt }) => !chosen.has(prompt)), held: held.slice(0, HELD.most) };
}

type Written = Omit<PreparedDataset, 'leftOut'>;

async function readEntry(rendered: FileHandle, { at, bytes }: Entry): Promise<PreparedExample> {
  const { buffer } = await rendered.read(Buffer.alloc(bytes), 0, bytes, at);
  return JSON.parse(buffer.toString()) as PreparedExample;
}

async function moveFirst(train: Entry[], rendered: FileHandle, choose: PrepareOptions['chooseFirst']): Promise<void> {
  const candidates: PreparedExample[] = [];
  for (const entry of train.slice(0, CANDIDATES)) candidates.push(await readEntry(rendered, entry));
  const [chosen] = train.splice(await choose(candidates), 1);
  if (chosen) train.unshift(chosen);
}

async function writeFiles(folder: string, rendered: FileHandle, sides: { train: Entry[]; held: Entry[] }): Promise<Written> {
  const figures = { learnedTokens: 0, longest: 0 };
  const write = async (file: FileHandle, entries: readonly Entry[], keep: number): Promise<PreparedExample[]> => {
    const kept: PreparedExample[] = [];
    for (const entry of entries) {
      const example = await readEntry(rendered, entry);
      await file.write(`${JSON.stringify({ messages: example.pieces })}\n`);
      if (entries === sides.train) for (const [from, to] of example.spans) figures.learnedTokens += to - from;
      figures.longest = Math.max(figures.longest, example.tokens.length, example.asOneText?.tokens.length ?? 0);
      if (kept.length < keep) kept.push(example);
    }
    return kept;
  };
  const first = await inFile(join(folder, 'train.jsonl'), (file) => write(file, sides.train, KEPT));
  const held = sides.held.length === 0 ? [] : await inFile(join(folder, 'held.jsonl'), (file) => write(file, sides.held, HELD.most));
  await writeFile(join(folder, 'template.jinja'), VERBATIM);
  return { examples: sides.train.length, first, held, ...figures };
}

async function inFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'w');
  try {
    return await write(file);
  } finally {
    await file.close();
  }
}
