import type { AdapterScorer, LlamaScorer } from '../scoring.js';
import { type BaseScores, withScorer } from './base-scores.js';
import { answersTo, type JudgedAnswer } from './example-scores.js';
import { LEARN_ANSWERS } from './objective.js';

/** Shares of the trained weights that are tried, one after the other. */
const SCALES = [0.9, 0.8, 0.7, 0.6, 0.5] as const;
/** Share of what training gained in loss that must stay. */
const GAIN_KEPT = 0.95;

/** Log probability above which the base gives an answer itself: one time in a hundred. */
const KNOWN = Math.log(0.01);

/** What a scale is chosen by. */
export interface ScaleInput {
  readonly scorer: Pick<LlamaScorer, 'scoring'>;
  /** Path of the LoRA GGUF. */
  readonly adapter: string;
  readonly context: number;
  readonly base: Pick<BaseScores, 'judged' | 'scored'> & Partial<Pick<BaseScores, 'objective'>>;
  readonly signal: AbortSignal;
}

interface Measured {
  readonly answers: readonly JudgedAnswer[];
  readonly loss: number;
}

/**
 * The smallest share of an adapter's weights at which what was taught stays right, no answer begins to repeat itself, and 95 % of the
 * gain in loss remains. Training goes further than its answers need: the less of it is applied, the less the base forgets (the
 * interpolation of weights of Wortsman et al., "Robust fine-tuning of zero-shot models", 2022).
 * @returns 1 where nothing that was taught is right: then nothing shows what a smaller share would cost
 */
export async function chooseScale(input: ScaleInput): Promise<number> {
  const { scorer, context } = input;
  const whole = await measure(input, 1);
  const before = await withScorer(scorer, null, context, (plain) => knownBefore(plain, input));
  const taught = before.known.map((known, i) => !known && whole.answers[i]?.right === true);
  if (!taught.includes(true)) return 1;
  const most = whole.loss + (1 - GAIN_KEPT) * (before.loss - whole.loss);
  let chosen = 1;
  for (const scale of SCALES) {
    const part = await measure(input, scale);
    const isLost = part.answers.some(({ right, degenerate }, i) => (taught[i] && !right) || (degenerate && !whole.answers[i]?.degenerate));
    if (isLost || part.loss > most) break;
    chosen = scale;
  }
  return chosen;
}

async function measure({ scorer, adapter, context, base, signal }: ScaleInput, scale: number): Promise<Measured> {
  const scoring = await scorer.scoring(adapter, context, scale);
  try {
    const { loss } = await (base.objective ?? LEARN_ANSWERS).measure(scoring, base.scored, signal);
    return { answers: await answersTo(scoring, base.judged, signal), loss: loss ?? 0 };
  } finally {
    await scoring.dispose();
  }
}

/** The loss of the base, and which answers it gives itself now and then: which of its ways to answer is chosen was not taught. */
async function knownBefore(plain: AdapterScorer, { base, signal }: ScaleInput): Promise<{ loss: number; known: boolean[] }> {
  const known: boolean[] = [];
  for (const { tokens, promptTokens } of base.judged) {
    signal.throwIfAborted();
    const logprobs = await plain.logprobs(tokens, promptTokens);
    known.push(logprobs.reduce((sum, logprob) => sum + logprob, 0) > KNOWN);
  }
  const { loss } = await (base.objective ?? LEARN_ANSWERS).measure(plain, base.scored, signal);
  return { loss: loss ?? 0, known };
}
