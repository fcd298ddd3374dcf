import { describe, expect, it } from 'vitest';
import { FIRST_DRAFT, gradersOf } from './suite-draft.js';

describe('the graders of a new suite', () => {
  it('carry what was filled in for them alone', () => {
    const draft = { ...FIRST_DRAFT, chosen: ['exact', 'contains', 'regex', 'length', 'judge', 'json_schema'] as const };
    const filled = { ...draft, pattern: '^a', max: 9, judge: '42' };
    expect(gradersOf(filled)).toEqual([
      ...[{ kind: 'exact' }, { kind: 'contains' }, { kind: 'regex', pattern: '^a' }, { kind: 'length', max: 9 }],
      { kind: 'judge', deployment: 42, rubric: FIRST_DRAFT.rubric },
      { kind: 'json_schema', schema: { type: 'object' } },
    ]);
    expect(gradersOf({ ...FIRST_DRAFT, chosen: ['contains'], text: 'Oslo' })).toEqual([{ kind: 'contains', text: 'Oslo' }]);
  });

  it('say what is missing', () => {
    const missing = (['regex', 'length', 'judge'] as const).map((kind) => gradersOf({ ...FIRST_DRAFT, chosen: [kind] }));
    expect(missing.every((one) => typeof one === 'string')).toBe(true);
    expect(gradersOf({ ...FIRST_DRAFT, chosen: ['json_schema'], schema: '[]' })).toBe('The schema must be a JSON object.');
    expect(gradersOf({ ...FIRST_DRAFT, chosen: [] })).toBe('Choose a grader.');
  });
});
