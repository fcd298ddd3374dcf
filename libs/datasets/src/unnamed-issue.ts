import type { DatasetIssue } from '@slipway/contracts';
import type { RuleName } from './rules.js';

/** Messages of the rules that quote names out of the file, without them. */
const UNNAMED: Partial<Record<RuleName, (line: number, path: string) => string>> = {
  duplicate_key: (n) => `Line ${n} names a key twice.`,
  missing_column: (n) => `Line ${n} names no column that the format needs.`,
  bad_role: (n, path) => `Line ${n}: ${path} is no role of this format.`,
  tool_unknown: (n, path) => `Line ${n}: ${path} names a tool that "tools" does not offer.`,
  tool_unanswered: (n, path) => `Line ${n}: a call of ${path} has no tool message.`,
};

/**
 * An issue as those see it who may read no text: names of roles, tools and keys are whatever somebody wrote into the file.
 */
export function unnamedIssue(issue: DatasetIssue): DatasetIssue {
  const message = UNNAMED[issue.rule as RuleName];
  return message ? { ...issue, message: message(issue.line, issue.path) } : issue;
}
