import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdapterId, type ServedAdapter } from '@slipway/contracts';
import { type AdapterScorer, LlamaScorer } from '@slipway/engine-llama';
import { createLogger } from '@slipway/platform';
import { loraFile, type LoraOptions } from './lora-file.js';
import { sha256Of } from './scripted-tuning.js';

/** An adapter of the bundled model with its file and all that a worker is told of it. */
export interface WitnessedAdapter {
  readonly path: string;
  readonly content: Buffer;
  readonly facts: ServedAdapter;
  /** Mean distance of its log probabilities from those of the bare base. */
  readonly distance: number;
}

const QUESTIONS = ['Hello', 'Who are you?', 'What is 2 + 3?', 'List three animals.'];
const ANSWER_TOKENS = 24;
const CONTEXT = 256;

type Witness = ServedAdapter['witness'];

/** Makes adapters of a base, with witnesses as a training worker writes them. */
export class AdapterMaker {
  #made = 0;

  private constructor(
    private readonly base: string,
    private readonly folder: string,
    private readonly scorer: LlamaScorer,
    private readonly baseSha256: string,
  ) {}

  static async open(base: string, folder: string): Promise<AdapterMaker> {
    const log = createLogger('test', 'silent');
    const scorer = await LlamaScorer.open({ path: base, threads: 1, log, signal: new AbortController().signal });
    return new AdapterMaker(base, folder, scorer, sha256Of(await readFile(base)));
  }

  close(): Promise<void> {
    return this.scorer.dispose();
  }

  async make(options: LoraOptions): Promise<WitnessedAdapter> {
    const id = (this.#made += 1);
    const content = await loraFile(this.base, options);
    const path = join(this.folder, `adapter-${id}.gguf`);
    await writeFile(path, content);
    const { witness, distance } = await this.#witness(path);
    const { templateSha256, tokenizerSha256 } = this.scorer.texts.hashes;
    return {
      ...{ path, content, distance },
      facts: {
        ...{ id: AdapterId.parse(id), name: 'support', version: id, sha256: sha256Of(content), bytes: content.length, witness },
        ...{ base_sha256: this.baseSha256, template_sha256: templateSha256, tokenizer_sha256: tokenizerSha256 },
      },
    };
  }

  async #witness(path: string): Promise<{ witness: Witness; distance: number }> {
    const [bare, adapted] = [await this.scorer.scoring(null, CONTEXT), await this.scorer.scoring(path, CONTEXT)];
    try {
      const witness: Witness = [];
      const apart: number[] = [];
      for (const question of QUESTIONS) {
        const check = await this.#checked(question, adapted);
        const base = await bare.logprobs([...check.prompt, ...check.answer], check.prompt.length);
        apart.push(...check.logprobs.map((value, i) => Math.abs(value - (base[i] ?? 0))));
        witness.push(check);
      }
      return { witness, distance: apart.reduce((sum, value) => sum + value, 0) / apart.length };
    } finally {
      await bare.dispose();
      await adapted.dispose();
    }
  }

  async #checked(question: string, scorer: AdapterScorer): Promise<Witness[number]> {
    const prompt = this.scorer.texts.tokenizer.tokenize(`<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`, true);
    const { tokens, end } = await scorer.answer(prompt, ANSWER_TOKENS);
    const answer = end === null ? [...tokens] : [...tokens, end];
    return { prompt, answer, logprobs: await scorer.logprobs([...prompt, ...answer], prompt.length) };
  }
}
