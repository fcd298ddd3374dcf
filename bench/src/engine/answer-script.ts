/** What the upstream is to answer; it travels in the prompt, so that every way to the upstream carries it. */
export interface AnswerScript {
  readonly tokens: number;
  /** Distance of two tokens in milliseconds; 0 = all at once. */
  readonly gapMs: number;
}

/** The prompt that asks for an answer. */
export const promptFor = ({ tokens, gapMs }: AnswerScript): string => `#bench ${tokens} ${gapMs}#`;

const MARK = Buffer.from('#bench ');

/** What a request body asks for; null without a prompt of ours. */
export function readScript(body: Buffer): AnswerScript | null {
  const at = body.indexOf(MARK);
  const match = at < 0 ? null : /^#bench (\d+) (\d+)#/.exec(body.toString('latin1', at, at + 40));
  return match ? { tokens: Number(match[1]), gapMs: Number(match[2]) } : null;
}
