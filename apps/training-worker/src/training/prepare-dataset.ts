import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ModelTexts } from '../scoring.js';
import type { Trainer } from '../trainers/trainer.js';
import { TrainingFault } from '../training-fault.js';
import type { Entry } from './entry-file.js';
import type { JobSettings } from './training-job.js';
import { ExamplePreparer, type LearnedTokens, type LeftOut, type PreparedExample } from './prepared-example.js';
import { readExample } from './read-example.js';
import { HELD_MOST, type Sides, Splitter } from './split-examples.js';

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
  /** Folder that gets what the trainer reads. */
  readonly folder: string;
  readonly texts: ModelTexts;
  /** Tokens that the base takes. */
  readonly context: number;
  readonly settings: Pick<JobSettings, 'seed' | 'heldOut' | 'learned' | 'tooLong'>;
  /** Whether the trainer takes answers that are not learned. */
  readonly takesWeights: boolean;
  /** What the trainer reads; absent = text. */
  readonly input?: Trainer['input'];
  /** Chooses the example that is learned first, of the first ones in the order of training. */
  readonly chooseFirst: (candidates: readonly PreparedExample[]) => Promise<number>;
  readonly signal: AbortSignal;
}

/** The pieces as they are: the examples are rendered already. */
const VERBATIM = '{% for m in messages %}{{ m.content }}{% endfor %}';

/**
 * Renders all examples, holds some out and writes the rest in a random order that the seed decides.
 * @throws TrainingFault when nothing is left to learn, and for what the trainer cannot express
 */
export async function prepareDataset(options: PrepareOptions): Promise<PreparedDataset> {
  const { folder, dataset, texts, context, settings } = options;
  const preparer = new ExamplePreparer(texts, context, settings.tooLong);
  const leftOut = new Map<LeftOut, number>();
  const rendered = await open(join(folder, 'rendered.jsonl'), 'w+');
  const ordered = await mkdtemp(join(folder, 'order-'));
  const split = new Splitter(settings, ordered);
  try {
    let at = 0;
    for await (const line of createInterface({ input: createReadStream(dataset), crlfDelay: Infinity })) {
      options.signal.throwIfAborted();
      if (line.trim() === '') continue;
      const made = prepareLine(line, preparer, options);
      if (typeof made === 'string') leftOut.set(made, (leftOut.get(made) ?? 0) + 1);
      else {
        const text = Buffer.from(JSON.stringify(made.prepared));
        await rendered.write(text, 0, text.length, at);
        await split.add({ at, bytes: text.length }, line, made.place);
        at += text.length;
      }
    }
    refuseTooLong(leftOut, settings.tooLong);
    if (split.count === 0) throw nothingLeft(leftOut);
    const sides = split.sides();
    const first = await placeOfFirst(sides, rendered, options.chooseFirst);
    return { ...(await writeFiles(options, rendered, sides, first)), leftOut };
  } finally {
    await Promise.all([rendered.close(), split.close()]);
    await rm(ordered, { recursive: true, force: true });
  }
}

function prepareLine(
  line: string,
  preparer: ExamplePreparer,
  { takesWeights, input = 'text' }: Pick<PrepareOptions, 'takesWeights' | 'input'>,
): { readonly prepared: PreparedExample; readonly place: number } | LeftOut {
  const example = readExample(line);
  if (!example) return 'unreadable';
  const skips = !example.rejected && example.messages.some(({ role }, i) => role === 'assistant' && example.learned[i] === false);
  if (skips && !takesWeights) {
    const message = 'This trainer learns every answer of a conversation. Remove the weights of 0, or use a trainer that takes them.';
    throw new TrainingFault('weights_need_torch', message);
  }
  const prepared = preparer.prepare(example);
  if (typeof prepared === 'string') return prepared;
  // What reads tokens reads those of serving.
  const { asOneText: _, ...served } = prepared;
  return { prepared: input === 'tokens' ? served : prepared, place: example.place };
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

type Written = Omit<PreparedDataset, 'leftOut'>;

async function readEntry(rendered: FileHandle, { at, bytes }: Entry): Promise<PreparedExample> {
  const { buffer } = await rendered.read(Buffer.alloc(bytes), 0, bytes, at);
  return JSON.parse(buffer.toString()) as PreparedExample;
}

/** Which of the first examples in the order of training is to be learned first. */
async function placeOfFirst({ train }: Sides, rendered: FileHandle, choose: PrepareOptions['chooseFirst']): Promise<number> {
  const candidates: PreparedExample[] = [];
  for await (const entry of train.inOrder()) {
    candidates.push(await readEntry(rendered, entry));
    if (candidates.length === CANDIDATES) break;
  }
  return choose(candidates);
}

/** The entries with that of one place moved to the front. */
async function* startingWith(entries: AsyncIterable<Entry>, place: number): AsyncGenerator<Entry> {
  const before: Entry[] = [];
  let at = 0;
  for await (const entry of entries) {
    if (at < place) before.push(entry);
    else yield entry;
    if (at === place) yield* before;
    at += 1;
  }
}

const learnedTokens = ({ spans }: LearnedTokens): number => spans.reduce((sum, [from, to]) => sum + to - from, 0);

/** What the trainer reads of an example. */
function lineOf({ pieces, tokens, spans, rejected }: PreparedExample, input: Trainer['input']): string {
  const read =
    input === 'tokens'
      ? { tokens, learn: spans, ...(rejected && { rejected: { tokens: rejected.tokens, learn: rejected.spans } }) }
      : { messages: pieces };
  return `${JSON.stringify(read)}\n`;
}

async function writeFiles(
  { folder, input = 'text' }: PrepareOptions,
  rendered: FileHandle,
  { train, held }: Sides,
  first: number,
): Promise<Written> {
  const figures = { learnedTokens: 0, longest: 0 };
  const ending = input === 'tokens' ? 'tokens.jsonl' : 'jsonl';
  const write = async (
    file: FileHandle,
    entries: AsyncIterable<Entry> | Iterable<Entry>,
    isLearned: boolean,
  ): Promise<PreparedExample[]> => {
    const kept: PreparedExample[] = [];
    for await (const entry of entries) {
      const example = await readEntry(rendered, entry);
      const { rejected } = example;
      await file.write(lineOf(example, input));
      if (isLearned) figures.learnedTokens += learnedTokens(example) + (rejected ? learnedTokens(rejected) : 0);
      const others = [example.asOneText, rejected].map((other) => other?.tokens.length ?? 0);
      figures.longest = Math.max(figures.longest, example.tokens.length, ...others);
      if (kept.length < (isLearned ? KEPT : HELD_MOST)) kept.push(example);
    }
    return kept;
  };
  const learned = await inFile(join(folder, `train.${ending}`), (file) => write(file, startingWith(train.inOrder(), first), true));
  const measured = held.length === 0 ? [] : await inFile(join(folder, `held.${ending}`), (file) => write(file, held, false));
  if (input === 'text') await writeFile(join(folder, 'template.jinja'), VERBATIM);
  return { examples: train.count, first: learned, held: measured, ...figures };
}

async function inFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'w');
  try {
    return await write(file);
  } finally {
    await file.close();
  }
}
