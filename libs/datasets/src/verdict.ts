import type { CsvColumns, DatasetFormat, DatasetKind, DatasetRepair } from '@slipway/contracts';
import type { ExampleKeeper } from './example-keeper.js';
import type { IssueLog } from './issue-log.js';
import type { InvalidReason, ValidationResult } from './validation.js';

/** What a validation has found. */
export interface Findings {
  readonly log: IssueLog;
  readonly keeper: ExampleKeeper;
  readonly bytes: number;
  readonly lines: number;
  readonly format: DatasetFormat;
  readonly kind: DatasetKind;
  readonly columns: CsvColumns | null;
  /** Why the file was not read to its end. */
  readonly stopped: { readonly reason: InvalidReason; readonly detail: string; readonly repair?: DatasetRepair } | null;
  readonly applied: readonly DatasetRepair[];
}

const FEW_EXAMPLES = 10;
/** More refused examples than these make a file invalid; fewer may be left out. */
const MOST_REFUSED = 100;
const MOST_REFUSED_SHARE = 0.01;

function judged({ keeper, stopped, applied }: Findings): { reason: InvalidReason; detail: string } | null {
  if (stopped) return stopped;
  const { rejected, leftOut } = keeper;
  const { examples } = keeper.statistics;
  if (examples + rejected === 0) return { reason: 'empty', detail: 'The file holds no examples.' };
  if (rejected === 0) return null;
  const all = examples + rejected + leftOut;
  const refused = `${rejected} of ${all} examples were refused`;
  if (examples === 0) return { reason: 'too_many_errors', detail: `${refused}: nothing is left.` };
  if (rejected > MOST_REFUSED || rejected > all * MOST_REFUSED_SHARE) {
    return { reason: 'too_many_errors', detail: `${refused}; up to 1 % and ${MOST_REFUSED} can be left out.` };
  }
  return applied.includes('leave_out_rejected')
    ? null
    : { reason: 'has_rejected', detail: `${refused}. Leave them out, or mend the file.` };
}

function repairsFor(findings: Findings, reason: InvalidReason | null): DatasetRepair[] {
  const { stopped, keeper } = findings;
  const repairs: DatasetRepair[] = stopped?.repair ? [stopped.repair] : [];
  if (reason === 'has_rejected') repairs.push('leave_out_rejected');
  if (keeper.statistics.duplicates > 0) repairs.push('leave_out_duplicates');
  return repairs;
}

/** The result of a validation. Warns about few examples, which only the end can tell. */
export function verdictOf(findings: Findings): ValidationResult {
  const { log, keeper, bytes, lines, format, kind, columns } = findings;
  const verdict = judged(findings);
  const { examples } = keeper.statistics;
  if (!findings.stopped && examples > 0 && examples < FEW_EXAMPLES) log.file('too_few', 1, examples);
  return {
    state: verdict ? 'invalid' : 'ready',
    reason: verdict?.reason ?? null,
    detail: verdict?.detail ?? null,
    format,
    kind,
    columns,
    bytes,
    canonicalBytes: keeper.canonicalBytes,
    lines,
    examples,
    rejected: keeper.rejected,
    leftOut: keeper.leftOut,
    issues: log.kept,
    totals: log.totals(),
    repairs: repairsFor(findings, verdict?.reason ?? null),
    statistics: keeper.statistics.result(),
    systemPrompt: keeper.statistics.systemPrompt(),
    split: keeper.split.plan(),
  };
}
