import { z } from 'zod';
import { enumOr, eachReadable } from '../schemas.js';

/** Formats of training files that are read. All become canonical chat JSONL; docs/fine-tuning.md shows each. */
export const DATASET_FORMATS = ['chat', 'prompt_completion', 'sharegpt', 'alpaca', 'openai_preference', 'trl_preference', 'csv'] as const;
/** A format of training files. */
export const DatasetFormat = z.enum(DATASET_FORMATS);
export type DatasetFormat = z.infer<typeof DatasetFormat>;

/** Which column of a CSV file holds what, by its name in the first line. */
export const CsvColumns = z.object({
  prompt: z.string().min(1).max(200),
  completion: z.string().min(1).max(200),
  system: z.string().min(1).max(200).optional(),
});
export type CsvColumns = z.infer<typeof CsvColumns>;

/** What examples are for: answers to learn, or pairs of a better and a worse answer. */
export const DatasetKind = z.enum(['sft', 'preference']);
export type DatasetKind = z.infer<typeof DatasetKind>;

/** E: the example is refused. W: it is kept. */
export const IssueSeverity = z.enum(['error', 'warning']);
export type IssueSeverity = z.infer<typeof IssueSeverity>;

/** A fault of one example. Contains nothing of the example's text. */
export const DatasetIssue = z.object({
  /** 1-based line of the file as it was uploaded; 0 = the whole file. */
  line: z.int().nonnegative(),
  /** Place in the example, such as `messages[2].content`; empty = the whole line. */
  path: z.string().max(200),
  /** Stable name of the rule, such as `bad_role`. */
  rule: z.string().max(64),
  severity: enumOr(IssueSeverity, 'warning'),
  /** For people: what is wrong and where. */
  message: z.string().max(500),
});
export type DatasetIssue = z.infer<typeof DatasetIssue>;

/** How often a rule applied. */
export const IssueTotal = z.object({
  rule: z.string().max(64),
  severity: enumOr(IssueSeverity, 'warning'),
  count: z.int().positive(),
});
export type IssueTotal = z.infer<typeof IssueTotal>;

/** What can be done with a version that is not ready: each makes a new version of the same file. */
export const DATASET_REPAIRS = ['convert_array', 'leave_out_rejected', 'leave_out_duplicates'] as const;
/** A repair of a version. */
export const DatasetRepair = z.enum(DATASET_REPAIRS);
export type DatasetRepair = z.infer<typeof DatasetRepair>;

const Count = z.int().nonnegative();
/** Lengths in characters (UTF-16 units) of whole examples. */
const Lengths = z.object({ p50: Count, p90: Count, p99: Count, longest: Count });

/** Figures of a version, without text of its examples. */
export const DatasetStatistics = z.object({
  examples: Count,
  /** Messages of all examples. */
  messages: Count,
  /** Messages by role. */
  roles: z.record(z.string(), Count),
  /** Assistant messages that are learned. */
  learned_turns: Count,
  /** Examples that offer tools. */
  with_tools: Count,
  /** Examples by the script of most of their letters, such as `Latin`. */
  scripts: z.record(z.string(), Count),
  lengths: Lengths,
  /** Examples by length: `upto` characters, ascending; the last one is the longest. */
  histogram: z.array(z.object({ upto: Count, examples: Count })).max(64),
  duplicates: Count,
  conflicts: Count,
  /** Different system prompts (at most counted to 10,000), and how many examples share the most frequent one. */
  system_prompts: z.object({ different: Count, most_frequent: Count }),
});
export type DatasetStatistics = z.infer<typeof DatasetStatistics>;

/** Issues in a reply. */
export const Issues = eachReadable(DatasetIssue, 1_000);
