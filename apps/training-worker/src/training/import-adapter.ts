import { join } from 'node:path';
import type { ImportPart, Witness } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { FileHashes } from '@slipway/model-store';
import type { Logger } from '@slipway/platform';
import { type AdapterForms, writeForms } from '../results/adapter-forms.js';
import { type LoraAdapter, readLoraGguf } from '../results/lora-gguf.js';
import { PEFT_FILES, readPeft } from '../results/peft.js';
import { LlamaScorer } from '../scoring.js';
import { TrainingFault } from '../training-fault.js';
import { scoringContext, withScorer } from './base-scores.js';
import { LEAST_DISTANCE } from './finish-adapter.js';
import { ExamplePreparer, type PreparedExample } from './prepared-example.js';
import { makeWitness, mostTelling } from './witness.js';

/** Names of the files in which the parts of an adapter are kept. */
export const PART_FILES: Readonly<Record<ImportPart['part'], string>> = {
  gguf: 'given.gguf',
  weights: PEFT_FILES.weights,
  config: PEFT_FILES.config,
};

/** An adapter from outside, its parts in a folder under `PART_FILES`. */
export interface ImportTask {
  readonly folder: string;
  readonly isGguf: boolean;
  readonly base: { readonly path: string; readonly sha256: string };
  /** What it was trained for, as its owner says; ordinary questions are asked besides. */
  readonly prompts: readonly string[];
  /** Folder in which hashes of files are remembered. */
  readonly hashFolder: string;
  readonly threads: number;
}

/** The adapter in both forms, with what proves it. */
export interface ImportedAdapter extends AdapterForms {
  readonly templateSha256: string;
  readonly tokenizerSha256: string;
  readonly witness: Witness;
}

/**
 * What an imported adapter is asked beside the prompts of its owner, because nothing is known of what it learned. The answers say only how long answers may be.
 */
const QUESTIONS = [
  'Hello',
  'Who are you?',
  'What can you do for me?',
  'What is 2 + 3?',
  'Name the capital of France.',
  'List three animals.',
  'Write a sentence about the sea.',
  'Summarize: The meeting was moved from Monday to Tuesday.',
  'Translate "good morning" to German.',
  'Is it safe to share my password?',
  'Return a JSON object with the field "name".',
  'Thank you, goodbye.',
];
/** Longer prompts are not asked. */
const PROMPT_TOKENS = 1_024;
const ANSWER = 'Certainly. Here it is.';

/**
 * Checks an adapter from outside on its base, writes both forms anew, and makes its witness.
 * @throws TrainingFault `adapter_mismatch`, `base_changed`, `no_effect`
 */
export async function importAdapter(task: ImportTask, { log, signal }: { log: Logger; signal: AbortSignal }): Promise<ImportedAdapter> {
  const { folder, base, hashFolder, threads, isGguf } = task;
  const found = await new FileHashes(hashFolder).of(base.path).catch(() => null);
  if (found?.sha256 !== base.sha256) throw new TrainingFault('base_changed', 'The file of the base is gone, or was changed.');
  const scorer = await LlamaScorer.open({ path: base.path, threads, log, signal });
  try {
    const { texts } = scorer;
    const adapter = isGguf ? await readLoraGguf(join(folder, PART_FILES.gguf)) : await readPeft(folder, texts.architecture);
    const forms = await writeForms(join(folder, 'adapter'), { ...adapter, pairs: inOrder(adapter) }, base.path);
    await scorer.assertFits(forms.gguf).catch((error: unknown) => {
      throw error instanceof EngineLoadError ? new TrainingFault('adapter_mismatch', error.message) : error;
    });
    const witness = await witnessOf(scorer, forms.gguf, task.prompts);
    const { templateSha256, tokenizerSha256 } = texts.hashes;
    return { ...forms, templateSha256, tokenizerSha256, witness };
  } finally {
    await scorer.dispose();
  }
}

/** Equal adapters become equal files, whatever form they came in. */
const inOrder = ({ pairs }: LoraAdapter): LoraAdapter['pairs'] => pairs.toSorted((a, b) => (a.tensor < b.tensor ? -1 : 1));

async function witnessOf(scorer: LlamaScorer, gguf: string, own: readonly string[]): Promise<Witness> {
  const prompts = promptsFor(scorer, own);
  if (prompts.length === 0) throw new TrainingFault('base_not_trainable', "The base's chat template renders no question.");
  const context = scoringContext(0, prompts);
  const all = await withScorer(scorer, gguf, context, (adapter) =>
    withScorer(scorer, null, context, (plain) => makeWitness(adapter, plain, prompts)),
  );
  const witness = mostTelling(all);
  if (witness.distance >= LEAST_DISTANCE) return witness;
  const message = `The adapter answers ${prompts.length} questions as its base does (distance ${witness.distance.toFixed(4)}): no replica could prove that it serves it. ${own.length === 0 ? 'Import it again with prompts that it was trained for.' : 'Give other prompts that it was trained for.'}`;
  throw new TrainingFault('no_effect', message, { distance: witness.distance });
}

function promptsFor({ texts, trainedContext }: LlamaScorer, own: readonly string[]): PreparedExample[] {
  const preparer = new ExamplePreparer(texts, Math.min(PROMPT_TOKENS, trainedContext / 2), 'leave_out');
  return [...own, ...QUESTIONS].flatMap((question) => {
    const turn = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ type: 'text' as const, text }] });
    const prepared = preparer.prepare({
      messages: [turn('user', question), turn('assistant', ANSWER)],
      tools: undefined,
      learned: [false, true],
      place: 0,
    });
    return typeof prepared === 'string' ? [] : [prepared];
  });
}
