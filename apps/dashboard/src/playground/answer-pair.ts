/** A question with its answer, as far as a pair needs it. */
export interface ComparedTurn {
  readonly ask: { readonly question: { readonly text: string }; readonly wishes: { readonly system?: string | undefined } };
  readonly exchange: { readonly status: string; readonly answer: { readonly text: string } };
}

/** Which of two answers is the better one. */
export type Side = 'first' | 'second';

/** A question with a better and a worse answer. */
export interface AnswerPairText {
  readonly system: string;
  readonly user: string;
  readonly assistant: string;
  readonly rejected: string;
}

/** The pair of two turns; null while one is not finished, and where they answer different questions or alike. */
export function pairOf(first: ComparedTurn | undefined, second: ComparedTurn | undefined, better: Side): AnswerPairText | null {
  if (!first || !second || [first, second].some(({ exchange }) => exchange.status === 'running')) return null;
  const [system, other] = [first, second].map(({ ask }) => ask.wishes.system ?? '');
  const user = first.ask.question.text;
  const [chosen, rejected] = (better === 'first' ? [first, second] : [second, first]).map(({ exchange }) => exchange.answer.text);
  if (user === '' || user !== second.ask.question.text || system !== other) return null;
  if (!chosen || !rejected || chosen === rejected) return null;
  return { system: system ?? '', user, assistant: chosen, rejected };
}
