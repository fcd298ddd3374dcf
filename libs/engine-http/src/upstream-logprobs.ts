import type { TokenLogprob } from '@slipway/contracts';
import { z } from 'zod';

/** The lowest that is reported: JSON has no minus infinity. */
const FLOOR = -9_999;

/** Null stands for minus infinity where a server's JSON cannot say it. */
const probability = z.number().nullish().catch(null);
const bytes = z.array(z.int().min(0).max(255)).nullish().catch(null);

const Alternative = z.object({ token: z.string(), logprob: probability, bytes });
const Token = Alternative.extend({ top_logprobs: z.array(Alternative).nullish().catch(null) });
const Logprobs = z.object({ content: z.array(Token).nullish() });

export type UpstreamLogprobs = readonly TokenLogprob[] | null;

const finite = (value: number | null | undefined): number => (value == null ? FLOOR : Math.max(FLOOR, value));

function tokenOf({ token, logprob, bytes: raw }: z.infer<typeof Alternative>): Pick<TokenLogprob, 't' | 'p' | 'b'> {
  // Bytes are worth their way only where the text is not theirs: half characters, mostly.
  const differs = raw != null && !Buffer.from(token, 'utf8').equals(Uint8Array.from(raw));
  return { t: token, p: finite(logprob), ...(differs && { b: raw }) };
}

/** Probabilities in a choice of a chunk; null where there are none, or none that can be read. */
export function readLogprobs(value: unknown): UpstreamLogprobs {
  const content = value == null ? undefined : Logprobs.safeParse(value).data?.content;
  if (!content || content.length === 0) return null;
  return content.map(({ top_logprobs: top, ...token }) => ({
    ...tokenOf(token),
    ...(top != null && top.length > 0 && { top: top.map(tokenOf) }),
  }));
}
