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

/** What each kind takes from a draft, or what is missing in words. */
const READERS: { readonly [K in Grader['kind']]?: (draft: SuiteDraft) => object | string } = {
  contains: ({ text }) => (text === '' ? {} : { text }),
  regex: ({ pattern }) => (pattern === '' ? 'Write an expression.' : { pattern }),
  json_schema: ({ schema: text }) => {
    const schema = objectOf(text);
    return schema === null ? 'The schema must be a JSON object.' : { schema };
  },
  length: ({ min, max }) =>
    min === null && max === null
      ? 'Name the least or the greatest length.'
      : { ...(min !== null && { min }), ...(max !== null && { max }) },
  judge: ({ judge, rubric }) => (judge === null ? 'Choose the deployment that judges.' : { deployment: Number(judge), rubric }),
};

/** The graders of a draft, or what is missing in words. */
export function gradersOf(draft: SuiteDraft): readonly Grader[] | string {
  const read = draft.chosen.map((kind) => [kind, READERS[kind]?.(draft) ?? {}] as const);
  const missing = read.map(([, settings]) => settings).find((settings) => typeof settings === 'string');
  if (missing !== undefined) return missing;
  return read.length === 0 ? 'Choose a grader.' : read.map(([kind, settings]) => ({ kind, ...(settings as object) }) as Grader);
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
