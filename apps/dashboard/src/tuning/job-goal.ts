import type { JobDraft, JobGoal } from './job-draft.js';

interface Goal {
  readonly value: JobGoal;
  readonly label: string;
  /** What it sets, and what the data should be like. */
  readonly hint: string;
  readonly settings: Partial<Pick<JobDraft, 'heldOut' | 'earlyStop' | 'tooLong'>>;
}

export const GOALS: readonly Goal[] = [
  { value: '', label: 'Not said', hint: 'All settings are automatic.', settings: {} },
  {
    value: 'facts',
    label: 'Teach facts',
    hint: 'Nothing is held out: a wording that is not learned mostly fails. Give ten wordings of each question, and twice as many ordinary conversations.',
    settings: { heldOut: 0 },
  },
  {
    value: 'style',
    label: 'Style of answers',
    hint: 'A tenth is held out, and training ends when the loss on it rises: a style carries over to other questions, so more epochs only cost.',
    settings: { heldOut: 10, earlyStop: 'on' },
  },
  {
    value: 'format',
    label: 'Format or tools',
    hint: 'A tenth is held out, and examples that do not fit are refused: a form that is cut is learned as cut.',
    settings: { heldOut: 10, tooLong: 'refuse' },
  },
  {
    value: 'prefer',
    label: 'Prefer answers',
    hint: 'Learns from pairs of a better and a worse answer, which a data set of preferences holds. The torch trainer does that, the embedded one does not.',
    settings: {},
  },
];

const NOTHING_SET: Goal['settings'] = { heldOut: null, earlyStop: '', tooLong: '' };

export const goalOf = (value: JobGoal): Goal => GOALS.find((goal) => goal.value === value) ?? (GOALS[0] as Goal);

/** What choosing a goal changes: the settings of the one before it go, unless another value was set since. */
export function goalChange(draft: Pick<JobDraft, 'goal' | 'heldOut' | 'earlyStop' | 'tooLong'>, goal: JobGoal): Partial<JobDraft> {
  const before: Goal['settings'] = goalOf(draft.goal).settings;
  const kept = Object.entries(NOTHING_SET).flatMap(([name, nothing]) => {
    const own = draft[name as keyof typeof NOTHING_SET];
    const isOfGoal = own === nothing || own === before[name as keyof typeof NOTHING_SET];
    return isOfGoal ? [[name, nothing]] : [];
  });
  const free = Object.fromEntries(kept) as Partial<JobDraft>;
  const set = Object.fromEntries(Object.entries(goalOf(goal).settings).filter(([name]) => name in free));
  return { goal, ...free, ...set };
}

/** Whether a data set of a kind serves a goal; without a goal each does. */
export const serves = (kind: 'sft' | 'preference', goal: JobGoal): boolean =>
  goal === '' || (goal === 'prefer') === (kind === 'preference');
