import type { Grader } from '@slipway/contracts';

/** Graders that a new suite may have, each at most once, with what is filled in for them. */
export interface SuiteDraft {
  readonly chosen: readonly Grader['kind'][];
  readonly text: string;
  readonly pattern: string;
  readonly schema: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly judge: string | null;
  readonly rubric: string;
}

/** What a new suite begins with: every answer of a deployment that works passes one of them. */
export const FIRST_DRAFT: SuiteDraft = {
  ...{ chosen: ['exact', 'degenerate'], text: '', pattern: '', schema: '{ "type": "object" }', min: null, max: null },
  ...{ judge: null, rubric: 'Which answer is more correct and more helpful?' },
};

/** The graders of a draft, or what is missing in words. */
export function gradersOf({ chosen, text, pattern, schema, min, max, judge, rubric }: SuiteDraft): readonly Grader[] | string {
  const graders: Grader[] = [];
  for (const kind of chosen) {
    if (kind === 'regex' && pattern === '') return 'Write an expression.';
    if (kind === 'length' && min === null && max === null) return 'Name the least or the greatest length.';
    if (kind === 'judge' && judge === null) return 'Choose the deployment that judges.';
    const parsed = kind === 'json_schema' ? objectOf(schema) : {};
    if (parsed === null) return 'The schema must be a JSON object.';
    const settings = {
      ...{ exact: {}, tool_call: {}, degenerate: {}, people: {} },
      contains: text === '' ? {} : { text },
      regex: { pattern },
      json_schema: { schema: parsed },
      length: { ...(min !== null && { min }), ...(max !== null && { max }) },
      judge: { deployment: Number(judge), rubric },
    }[kind];
    graders.push({ kind, ...settings } as Grader);
  }
  return graders.length === 0 ? 'Choose a grader.' : graders;
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
