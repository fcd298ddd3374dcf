import type { DeploymentView, RevisionView } from '@slipway/contracts';
import { engineFacts, engineKindOf, sourceText } from '@slipway/contracts/engines';
import { formatCount } from '../format/number.js';
import type { StatusLook } from '../ui/status.js';

const orDefault = (value: number | null): string => (value === null ? 'Default' : formatCount(value));

/** The settings of a revision, each with its words. */
function settingsOf(revision: RevisionView): readonly (readonly [string, string])[] {
  const { source, adapter, context, slots, threads, default_max_tokens: longest, credential } = revision;
  const { engine: _, ...place } = source;
  const kind = engineKindOf(source);
  const options = Object.entries(source.engine?.options ?? {}).map(
    ([name, value]) => [engineFacts(kind)?.options[name]?.label ?? name, [value].flat().join(', ')] as const,
  );
  const sum = source.kind === 'download' && source.sha256 !== undefined ? ([['SHA-256', source.sha256]] as const) : [];
  return [
    ['Model', sourceText(place)],
    ...(adapter ? ([['Adapter', `${adapter.name} v${adapter.version}`]] as const) : []),
    ...sum,
    ['Engine', engineFacts(kind)?.title ?? kind],
    ...options,
    ['Context', orDefault(context)],
    ['Slots', formatCount(slots)],
    ['Threads', orDefault(threads)],
    ['Default max tokens', orDefault(longest)],
    ['Engine credential', credential ? 'Stored' : 'None'],
  ];
}

/** A setting of two revisions. Null = one of them has no such setting. */
export interface DiffLine {
  readonly setting: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly isChanged: boolean;
}

/** The settings of two revisions side by side, those that differ first. */
export function revisionDiff(before: RevisionView, after: RevisionView): readonly DiffLine[] {
  const [was, is] = [new Map(settingsOf(before)), new Map(settingsOf(after))];
  const all = [...new Set([...was.keys(), ...is.keys()])].map((setting) => {
    const pair = { before: was.get(setting) ?? null, after: is.get(setting) ?? null };
    return { setting, ...pair, isChanged: pair.before !== pair.after };
  });
  return [...all.filter(({ isChanged }) => isChanged), ...all.filter(({ isChanged }) => !isChanged)];
}

/** Whether anything that is shown differs. A replaced credential is not shown. */
export const changedSettings = (before: RevisionView | undefined, after: RevisionView): readonly string[] =>
  before === undefined ? [] : revisionDiff(before, after).flatMap(({ setting, isChanged }) => (isChanged ? [setting] : []));

/** What a revision does now. */
export function revisionState(
  rev: number,
  { rev: newest, serving_rev: serving = newest, state, progress }: Pick<DeploymentView, 'rev' | 'serving_rev' | 'state' | 'progress'>,
): { readonly look: StatusLook; readonly text: string } {
  if (rev === serving) return state === 'stopped' ? { look: 'plain', text: 'Stopped' } : { look: 'good', text: 'Serving' };
  if (rev < newest) return { look: 'plain', text: 'Replaced' };
  if (state === 'stopped' || state === 'stopping') return { look: 'plain', text: 'Stopped' };
  if (state === 'loading' || progress !== null) return { look: 'busy', text: 'Loading' };
  if (state === 'failed' || state === 'degraded') return { look: 'bad', text: 'Failed' };
  return { look: 'warn', text: 'Waiting' };
}
