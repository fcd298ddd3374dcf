import type { DatasetFormat, DatasetRepair } from '@slipway/contracts';
import { FileRefused, plainBytes } from './bytes/plain-bytes.js';
import { DECIDING_LINES, type DetectedFormat, detectFormat } from './detect.js';
import { TextRules } from './example-checks.js';
import { ExampleKeeper } from './example-keeper.js';
import { FORMATS } from './formats/formats.js';
import { IssueLog } from './issue-log.js';
import { DATASET_LIMITS, type DatasetLimits } from './limits.js';
import { CsvChecker, JsonChecker } from './record-checker.js';
import type { ValidationOptions, ValidationResult, ValidationSinks } from './validation.js';
import { type Findings, verdictOf } from './verdict.js';

/** Bytes between two looks at the signal and the sinks. */
const STEP_BYTES = 256 * 1024;
const LF = 0x0a;
/** An example is at least a line of CSV with one character and a delimiter. */
const LEAST_EXAMPLE_BYTES = 3;

/** What a file begins with, until its format can be told. */
class Head {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private lines = 0;

  constructor(private readonly bound: number) {}

  /** The head, once there are lines enough; null = more is wanted. */
  add(chunk: Buffer): Buffer | null {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) this.lines += 1;
    return this.lines >= DECIDING_LINES || this.bytes >= this.bound ? this.whole() : null;
  }

  whole(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** One validation: what it has found so far. */
class Validation {
  readonly log: IssueLog;
  readonly keeper: ExampleKeeper;
  private readonly limits: DatasetLimits;
  private readonly head: Head;
  private checker: JsonChecker | CsvChecker | null = null;
  private detected: DetectedFormat | null = null;
  private rejectedLines: Buffer[] = [];
  private bytes = 0;
  private stopped: Findings['stopped'] = null;

  constructor(
    private readonly options: ValidationOptions,
    private readonly sinks: ValidationSinks,
  ) {
    this.limits = { ...DATASET_LIMITS, ...options.limits };
    this.log = new IssueLog(this.limits.issues, sinks.issue?.bind(sinks));
    this.keeper = new ExampleKeeper(this.log, {
      learned: options.learned ?? [],
      leaveOutDuplicates: this.repairs('leave_out_duplicates'),
      lengths: options.lengths,
    });
    this.head = new Head(2 * this.limits.lineBytes);
  }

  /** Reads the whole file, or until it is refused. */
  async read(source: AsyncIterable<Uint8Array>): Promise<void> {
    let sourceBytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of source) {
        sourceBytes += chunk.length;
        yield chunk;
      }
    };
    this.options.signal?.throwIfAborted();
    try {
      for await (const chunk of plainBytes(counted(), this.limits)) {
        for (let from = 0; from < chunk.length && !this.stopped; from += STEP_BYTES) {
          this.push(chunk.subarray(from, from + STEP_BYTES));
          await this.handOver(false, sourceBytes);
        }
        if (this.stopped) break;
      }
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      this.stopped = { reason: error.reason, detail: error.message };
    }
    if (!this.stopped) this.end();
    await this.handOver(true, sourceBytes);
  }

  findings(): Findings {
    const { log, keeper, checker, detected, bytes } = this;
    const format: DatasetFormat = this.options.format ?? detected?.format ?? 'chat';
    return {
      log,
      keeper,
      bytes,
      format,
      kind: format === 'csv' ? 'sft' : FORMATS[format].kind,
      columns: checker instanceof CsvChecker ? checker.columns : null,
      lines: checker?.lines ?? 0,
      stopped: this.stopped,
      applied: this.options.repairs ?? [],
    };
  }

  private repairs(repair: DatasetRepair): boolean {
    return this.options.repairs?.includes(repair) ?? false;
  }

  private push(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.checker) this.checker.push(chunk);
    else {
      const head = this.head.add(chunk);
      if (head) this.begin(head, false);
    }
    this.watch();
  }

  private end(): void {
    if (!this.checker) this.begin(this.head.whole(), true);
    if (this.stopped || !this.checker) return;
    this.checker.end();
    this.watch();
    const { bom, crlf, blank_line: blank } = this.checker.repaired;
    if (bom > 0) this.log.file('bom', bom);
    if (crlf > 0) this.log.file('crlf', crlf, crlf);
    if (blank > 0) this.log.file('blank_line', blank, blank);
    if (this.keeper.statistics.examples + this.keeper.rejected === 0 && !this.stopped) this.log.file('empty_file', 1);
  }

  /** Decides how the file is read, and reads its head, which may be all of it. */
  private begin(head: Buffer, isAll: boolean): void {
    const detected = detectFormat(head);
    this.detected = detected;
    const convert = detected.array && this.repairs('convert_array');
    if (detected.array && !convert) {
      this.log.file('json_array', 1);
      this.stopped = { reason: 'unreadable', detail: this.log.kept.at(-1)?.message ?? '', repair: 'convert_array' };
      return;
    }
    this.checker = this.checkerFor(this.options.format ?? detected.format ?? 'chat', convert);
    // A step may bring more than the bound before it is seen.
    const most = Math.ceil((isAll ? head.length : STEP_BYTES) / LEAST_EXAMPLE_BYTES) + 1;
    this.keeper.expect(isAll ? most : this.limits.examples + most);
    for (let from = 0; from < head.length; from += STEP_BYTES) this.checker.push(head.subarray(from, from + STEP_BYTES));
  }

  private checkerFor(format: DatasetFormat, convert: boolean): JsonChecker | CsvChecker {
    const context = {
      log: this.log,
      keeper: this.keeper,
      limits: this.limits,
      texts: new TextRules(this.log, this.options.controlTokens ?? []),
      refuse: (line: Buffer | string) => this.refuse(line),
    };
    return format === 'csv'
      ? new CsvChecker(context, this.options.columns)
      : new JsonChecker(context, format, this.options.format !== undefined, convert);
  }

  /** Ends the reading where going on makes no sense. */
  private watch(): void {
    if (this.keeper.statistics.examples > this.limits.examples) {
      this.stopped = { reason: 'too_many_examples', detail: `The file holds more than ${this.limits.examples} examples.` };
    }
    if (this.checker instanceof CsvChecker && this.checker.failed) {
      this.stopped = { reason: 'unreadable', detail: this.log.kept.at(-1)?.message ?? '' };
    }
  }

  private refuse(line: Buffer | string): void {
    if (this.sinks.rejected) this.rejectedLines.push(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
  }

  private async handOver(last: boolean, sourceBytes: number): Promise<void> {
    const { sinks, keeper, log } = this;
    const batch = sinks.batch ? keeper.takeBatch(last) : keeper.forget();
    if (batch) await sinks.batch?.(batch);
    if (this.rejectedLines.length > 0) await sinks.rejected?.(Buffer.concat(this.rejectedLines.splice(0)));
    sinks.progress?.({
      bytes: sourceBytes,
      lines: this.checker?.lines ?? 0,
      examples: keeper.statistics.examples,
      rejected: keeper.rejected,
      issues: log.kept.length,
    });
    this.options.signal?.throwIfAborted();
  }
}

/**
 * Reads a training file once, checks every line and gives the kept examples in canonical form to a sink. Memory does not grow with the
 * file but for 15 bytes for each of `limits.examples`, which find repeats. Runs on the calling thread, in steps of at most 256 KiB.
 * @throws the signal's reason when it is aborted, and what the source or a sink throws. Faults of the file are no errors but results.
 */
export async function validateDataset(
  source: AsyncIterable<Uint8Array>,
  options: ValidationOptions = {},
  sinks: ValidationSinks = {},
): Promise<ValidationResult> {
  const validation = new Validation(options, sinks);
  await validation.read(source);
  return verdictOf(validation.findings());
}
