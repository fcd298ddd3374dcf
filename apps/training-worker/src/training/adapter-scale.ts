import type { LlamaScorer } from '../scoring.js';
import { type BaseScores, withScorer } from './base-scores.js';
import { answersTo, type JudgedAnswer, meanLoss } from './example-scores.js';

/** Shares of the trained weights that are tried, one after the other. */
const SCALES = [0.9, 0.8, 0.7, 0.6, 0.5] as const;
/** Share of what training gained in loss that must stay. */
const GAIN_KEPT = 0.95;

/** What a scale is chosen by. */
export interface ScaleInput {
  readonly scorer: Pick<LlamaScorer, 'scoring'>;
  /** Path of the LoRA GGUF. */
  readonly adapter: string;
  readonly context: number;
  readonly base: Pick<BaseScores, 'judged' | 'scored'>;
  readonly signal: AbortSignal;
}

interface Measured {
  readonly answers: readonly JudgedAnswer[];
  readonly loss: number;
}

/**
 * The smallest share of an adapter's weights at which every right answer stays right, none begins to repeat itself, and 95 % of the
 * gain in loss remains. Training goes further than its answers need: the less of it is applied, the less the base forgets (the
 * interpolation of weights of Wortsman et al., "Robust fine-tuning of zero-shot models", 2022).
 * @returns 1 where no answer is right: then nothing shows what a smaller share would cost
 */
export async function chooseScale(input: ScaleInput): Promise<number> {
  const { scorer, context, base, signal } = input;
  const whole = await measure(input, 1);
  if (!whole.answers.some(({ right }) => right)) return 1;
  const before = await withScorer(scorer, null, context, (plain) => meanLoss(plain, base.scored, signal));
  const most = whole.loss + (1 - GAIN_KEPT) * ((before ?? 0) - whole.loss);
  let chosen = 1;
  for (const scale of SCALES) {
    const part = await measure(input, scale);
    if (part.loss > most || losesAnswer(whole.answers, part.answers)) break;
    chosen = scale;
  }
  return chosen;
}

async function measure({ scorer, adapter, context, base, signal }: ScaleInput, scale: number): Promise<Measured> {
  const scoring = await scorer.scoring(adapter, context, scale);
  try {
    return { answers: await answersTo(scoring, base.judged, signal), loss: (await meanLoss(scoring, base.scored, signal)) ?? 0 };
  } finally {
    await scoring.dispose();
  }
}

const losesAnswer = (before: readonly JudgedAnswer[], now: readonly JudgedAnswer[]): boolean =>
  now.some(({ right, degenerate }, i) => (before[i]?.right === true && !right) || (degenerate && before[i]?.degenerate === false));
