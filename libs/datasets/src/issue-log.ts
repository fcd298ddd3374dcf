import type { DatasetIssue, IssueTotal } from '@slipway/contracts';
import { type RuleArgs, type RuleName, RULES, bitOf } from './rules.js';

/** Collects issues: the first ones whole, all of them counted. */
export class IssueLog {
  readonly kept: DatasetIssue[] = [];
  private readonly counts = new Map<RuleName, number>();
  /** Of the example at hand: refused, and the bits of its warnings. */
  refused = false;
  warnings = 0;
  private line = 0;

  constructor(
    private readonly bound: number,
    private readonly taken: ((issue: DatasetIssue) => void) | undefined,
  ) {}

  /** Begins the example of a line. */
  begin(line: number): void {
    this.line = line;
    this.refused = false;
    this.warnings = 0;
  }

  /** An issue of the example at hand. `path` is its place in it, empty for the whole. */
  report<R extends RuleName>(rule: R, path: string, ...args: RuleArgs<R>): void {
    if (RULES[rule].severity === 'error') this.refused = true;
    else this.warnings |= bitOf(rule);
    this.count(rule, 1);
    this.keep(rule, args, { line: this.line, path });
  }

  /** An issue of the whole file, which counts `count` times. */
  file<R extends RuleName>(rule: R, count: number, ...args: RuleArgs<R>): void {
    this.count(rule, count);
    this.keep(rule, args, { line: 0, path: '' });
  }

  /** Totals by rule: errors first, the most frequent ones first. */
  totals(): IssueTotal[] {
    const totals = [...this.counts].map(([rule, count]) => ({ rule, severity: RULES[rule].severity, count }));
    return totals.sort((a, b) => a.severity.localeCompare(b.severity) || b.count - a.count || a.rule.localeCompare(b.rule));
  }

  private count(rule: RuleName, times: number): void {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + times);
  }

  private keep(rule: RuleName, args: readonly (string | number)[], { line, path }: { line: number; path: string }): void {
    if (this.kept.length >= this.bound) return;
    const { severity, message } = RULES[rule];
    // The type of `report` ties the arguments to the rule; here they are together again.
    const text = (message as (line: number, ...args: readonly (string | number)[]) => string)(line, ...args);
    const issue = { line, path: path.slice(0, 200), rule, severity, message: text.slice(0, 500) };
    this.kept.push(issue);
    this.taken?.(issue);
  }
}
