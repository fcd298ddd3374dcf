import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AdapterId, type ServedAdapter } from '@slipway/contracts';
import { getLlama, type Llama, type LlamaContextSequence, LlamaLogLevel, type LlamaModel, type Token } from 'node-llama-cpp';
import { answerLogprobs } from '../../libs/engine-llama/src/answer-logprobs.js';
import { modelHashes } from '../../libs/engine-llama/src/model-hashes.js';
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

/** Makes adapters of a base, with witnesses as a training worker writes them. */
export class AdapterMaker {
  #made = 0;

  private constructor(
    private readonly base: string,
    private readonly folder: string,
    private readonly llama: Llama,
    private readonly model: LlamaModel,
    private readonly baseSha256: string,
  ) {}

  static async open(base: string, folder: string): Promise<AdapterMaker> {
    const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, progressLogs: false, logLevel: LlamaLogLevel.error });
    const model = await llama.loadModel({ modelPath: base });
    return new AdapterMaker(base, folder, llama, model, sha256Of(await readFile(base)));
  }

  async close(): Promise<void> {
    await this.llama.dispose();
  }

  /** @param numbered the number that the adapter gets; absent = the next one */
  async make(options: LoraOptions, numbered?: number): Promise<WitnessedAdapter> {
    const id = numbered ?? (this.#made += 1);
    const content = await loraFile(this.base, options);
    const path = join(this.folder, `adapter-${id}-${options.seed}.gguf`);
    await writeFile(path, content);
    const { answers, distance } = await this.#witness(path);
    const { template, tokenizer } = modelHashes(this.model.fileInfo.metadata.tokenizer);
    return {
      ...{ path, content, distance },
      facts: {
        ...{ id: AdapterId.parse(id), name: 'support', version: id, sha256: sha256Of(content), bytes: content.length },
        ...{ base_sha256: this.baseSha256, template_sha256: template, tokenizer_sha256: tokenizer },
        witness: answers.map(({ prompt, answer, adapter }) => ({ prompt, answer, logprobs: adapter })),
      },
    };
  }

  async #witness(path: string): Promise<{ answers: Scored[]; distance: number }> {
    const options = { contextSize: CONTEXT, sequences: 1, threads: 1 };
    const [bare, adapted] = [await this.model.createContext(options), await this.model.createContext({ ...options, lora: path })];
    try {
      const [b, a] = [bare.getSequence(), adapted.getSequence()];
      const answers: Scored[] = [];
      for (const question of QUESTIONS) answers.push(await this.#scored(question, a, b));
      const all = answers.flatMap(({ adapter, base }) => adapter.map((value, i) => Math.abs(value - (base[i] ?? 0))));
      return { answers, distance: all.reduce((sum, value) => sum + value, 0) / all.length };
    } finally {
      await bare.dispose();
      await adapted.dispose();
    }
  }

  async #scored(question: string, adapted: LlamaContextSequence, bare: LlamaContextSequence): Promise<Scored> {
    const prompt = this.model.tokenize(`<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`, true);
    const answer: Token[] = [];
    await adapted.clearHistory();
    for await (const token of adapted.evaluate(prompt, { temperature: 0 })) {
      answer.push(token);
      if (answer.length >= ANSWER_TOKENS || this.model.isEogToken(token)) break;
    }
    const [adapter, base] = [await answerLogprobs(adapted, prompt, answer), await answerLogprobs(bare, prompt, answer)];
    return { prompt, answer, adapter: [...adapter], base: [...base] };
  }
}

interface Scored {
  readonly prompt: Token[];
  readonly answer: Token[];
  readonly adapter: number[];
  readonly base: number[];
}
