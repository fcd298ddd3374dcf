import type { DatasetStatistics } from '@slipway/contracts';
import type { CanonicalExample, CanonicalMessage } from './example.js';
import { Hash64 } from './hash.js';
import { scriptOf } from './scripts.js';

/** Buckets between two powers of two: lengths are known to 6 %. */
const STEPS = 8;
const MOST_BUCKETS = 64;
const MOST_SYSTEM_PROMPTS = 10_000;

const bucketOf = (length: number): number => {
  if (length < STEPS) return length;
  const power = Math.floor(Math.log2(length));
  return (power - 2) * STEPS + Math.floor(((length - 2 ** power) * STEPS) / 2 ** power);
};

/** The longest length in a bucket. */
const bucketEnd = (bucket: number): number => {
  if (bucket < STEPS) return bucket;
  const power = Math.floor(bucket / STEPS) + 2;
  return 2 ** power + Math.ceil((((bucket % STEPS) + 1) * 2 ** power) / STEPS) - 1;
};

/** Lengths in buckets that grow with them: percentiles and a histogram in constant memory. */
export class Lengths {
  private readonly counts: number[] = [];
  private total = 0;
  private longest = 0;

  add(length: number): void {
    const bucket = bucketOf(length);
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.total += 1;
    this.longest = Math.max(this.longest, length);
  }

  /** The length that a share of all does not exceed, to 6 % above. */
  percentile(share: number): number {
    let left = Math.ceil(this.total * share);
    if (left === 0) return 0;
    for (const [bucket, count] of this.counts.entries()) {
      left -= count ?? 0;
      if (left <= 0) return Math.min(bucketEnd(bucket), this.longest);
    }
    return this.longest;
  }

  summary(): DatasetStatistics['lengths'] {
    return { p50: this.percentile(0.5), p90: this.percentile(0.9), p99: this.percentile(0.99), longest: this.longest };
  }

  /** At most 64 bars, ascending; the last one ends at the longest. */
  histogram(): DatasetStatistics['histogram'] {
    let wide = 1;
    const bars = (): DatasetStatistics['histogram'] => {
      const sums = new Map<number, number>();
      for (const [bucket, count] of this.counts.entries()) {
        const bar = Math.floor(bucket / wide);
        if (count) sums.set(bar, (sums.get(bar) ?? 0) + count);
      }
      return [...sums].map(([bar, examples]) => ({ upto: Math.min(bucketEnd((bar + 1) * wide - 1), this.longest), examples }));
    };
    let found = bars();
    while (found.length > MOST_BUCKETS) {
      wide *= 2;
      found = bars();
    }
    return found;
  }
}

interface SystemPrompt {
  readonly hash: bigint;
  readonly line: number;
  examples: number;
}

function lengthOf(messages: readonly CanonicalMessage[]): number {
  let length = 0;
  for (const { content, reasoning, calls } of messages) {
    length += content.length + (reasoning?.length ?? 0);
    for (const call of calls) length += call.name.length + call.arguments.length;
  }
  return length;
}

/** Figures of the examples that are kept, in constant memory. */
export class StatisticsCollector {
  examples = 0;
  duplicates = 0;
  conflicts = 0;
  private messages = 0;
  private learnedTurns = 0;
  private withTools = 0;
  private readonly roles = { system: 0, user: 0, assistant: 0, tool: 0 };
  private readonly scripts = new Map<string, number>();
  private readonly lengths = new Lengths();
  private readonly systemPrompts = new Map<bigint, SystemPrompt>();
  private readonly hash = new Hash64();
  private lastSystem = '';
  private lastPrompt: SystemPrompt | null = null;

  /** Adds an example. `ascii`: all its text is ASCII, which is Latin. */
  add(example: CanonicalExample, line: number, ascii: boolean): void {
    const messages = example.kind === 'sft' ? example.messages : [...example.prompt, ...example.chosen, ...example.rejected];
    this.examples += 1;
    this.messages += messages.length;
    if (example.tools.length > 0) this.withTools += 1;
    let system = '';
    for (const { role, learned, content } of messages) {
      this.roles[role] += 1;
      if (role === 'assistant' && learned) this.learnedTurns += 1;
      if (role === 'system' && system === '') system = content;
    }
    this.lengths.add(lengthOf(messages));
    const script = ascii ? 'Latin' : scriptOf(messages.map(({ content }) => content));
    if (script !== null) this.scripts.set(script, (this.scripts.get(script) ?? 0) + 1);
    if (system !== '') this.addSystemPrompt(system, line);
  }

  /** The most frequent system prompt; null = there is none. Of those that first come after 10,000 others, none is counted. */
  systemPrompt(): { hash: bigint; examples: number; line: number } | null {
    let most: SystemPrompt | null = null;
    for (const prompt of this.systemPrompts.values()) if (!most || prompt.examples > most.examples) most = prompt;
    return most && { hash: most.hash, examples: most.examples, line: most.line };
  }

  result(): DatasetStatistics {
    return {
      examples: this.examples,
      messages: this.messages,
      roles: Object.fromEntries(Object.entries(this.roles).filter(([, count]) => count > 0)),
      learned_turns: this.learnedTurns,
      with_tools: this.withTools,
      scripts: Object.fromEntries([...this.scripts].sort((a, b) => b[1] - a[1])),
      lengths: this.lengths.summary(),
      histogram: this.lengths.histogram(),
      duplicates: this.duplicates,
      conflicts: this.conflicts,
      system_prompts: { different: this.systemPrompts.size, most_frequent: this.systemPrompt()?.examples ?? 0 },
    };
  }

  private addSystemPrompt(text: string, line: number): void {
    // Files mostly repeat one prompt: comparing is quicker than hashing.
    if (this.lastPrompt && this.lastSystem === text) {
      this.lastPrompt.examples += 1;
      return;
    }
    const bytes = Buffer.from(text);
    const hash = this.hash.of(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length).value;
    const known = this.systemPrompts.get(hash);
    if (known) known.examples += 1;
    else if (this.systemPrompts.size < MOST_SYSTEM_PROMPTS) this.systemPrompts.set(hash, { hash, line, examples: 1 });
    this.lastSystem = text;
    this.lastPrompt = this.systemPrompts.get(hash) ?? null;
  }
}
