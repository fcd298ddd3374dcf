import { CanonicalWriter } from './canonical.js';
import type { CanonicalExample } from './example.js';
import type { IssueLog } from './issue-log.js';
import { RepeatTable } from './repeats.js';
import { placeOfExample, SplitPlanner } from './split.js';
import { StatisticsCollector } from './statistics.js';
import type { CanonicalBatch, LengthCounter } from './validation.js';

const BATCH_BYTES = 256 * 1024;

interface KeeperSettings {
  readonly learned: readonly number[];
  readonly leaveOutDuplicates: boolean;
  readonly lengths: LengthCounter | undefined;
}

interface Columns {
  readonly lengths: number[];
  readonly lines: number[];
  readonly warnings: number[];
  /** Low and high halves of hashes, in turn. */
  readonly prompts: number[];
  readonly examples: number[];
}

const emptyColumns = (): Columns => ({ lengths: [], lines: [], warnings: [], prompts: [], examples: [] });

const asHashes = (halves: readonly number[]): BigUint64Array => {
  const hashes = new BigUint64Array(halves.length / 2);
  new Uint32Array(hashes.buffer).set(halves);
  return hashes;
};

/** Writes, counts and compares the examples that are kept. */
export class ExampleKeeper {
  readonly statistics = new StatisticsCollector();
  readonly split: SplitPlanner;
  canonicalBytes = 0;
  /** Examples that were refused. */
  rejected = 0;
  /** Repeated examples that were left out. */
  leftOut = 0;
  private readonly writer = new CanonicalWriter(2 * BATCH_BYTES);
  private repeats = new RepeatTable(0);
  private columns: Columns = emptyColumns();

  constructor(
    private readonly log: IssueLog,
    private readonly settings: KeeperSettings,
  ) {
    this.split = new SplitPlanner(settings.learned);
  }

  /** Makes room for so many examples; comes before the first one. */
  expect(examples: number): void {
    this.repeats = new RepeatTable(examples);
  }

  /** Keeps the example of a line that the log has begun. */
  keep(example: CanonicalExample, line: number, ascii: boolean): void {
    const { writer, settings, statistics } = this;
    const bytes = writer.write(example);
    const repeat = this.repeats.add(writer.promptHash, writer.hash, line);
    if (repeat === 'new') this.split.add(placeOfExample(example));
    else {
      this.log.report(repeat, '', this.repeats.first);
      if (repeat === 'duplicate' && settings.leaveOutDuplicates) {
        writer.undo(bytes);
        this.leftOut += 1;
        return;
      }
      if (repeat === 'duplicate') statistics.duplicates += 1;
      else statistics.conflicts += 1;
    }
    if (settings.lengths) this.checkLength(settings.lengths, bytes);
    statistics.add(example, line, ascii);
    this.canonicalBytes += bytes;
    this.enter(bytes, line);
  }

  /** What was kept since the last batch; null where it is too little to hand over, unless it is the last one. */
  takeBatch(last: boolean): CanonicalBatch | null {
    const { lengths, lines, warnings, prompts, examples } = this.columns;
    if (lengths.length === 0 || (!last && this.writer.length < BATCH_BYTES)) return null;
    this.columns = emptyColumns();
    return {
      bytes: this.writer.take(),
      count: lengths.length,
      lengths: Uint32Array.from(lengths),
      lines: Uint32Array.from(lines),
      warnings: Uint32Array.from(warnings),
      prompts: asHashes(prompts),
      examples: asHashes(examples),
    };
  }

  /** Drops what was kept since the last batch, where nobody takes it. */
  forget(): null {
    this.columns = emptyColumns();
    this.writer.undo(this.writer.length);
    return null;
  }

  private checkLength(counter: LengthCounter, bytes: number): void {
    const tokens = counter.count(this.writer.last(bytes));
    if (tokens > counter.context) this.log.report('too_long', '', tokens, counter.context);
  }

  private enter(bytes: number, line: number): void {
    const { lengths, lines, warnings, prompts, examples } = this.columns;
    lengths.push(bytes);
    lines.push(line);
    warnings.push(this.log.warnings);
    prompts.push(this.writer.promptHash.low, this.writer.promptHash.high);
    examples.push(this.writer.hash.low, this.writer.hash.high);
  }
}
