import type { AuditEntry, ModelSource } from '@slipway/contracts';
import type { RevisionSettings } from './revision-settings.js';

/** A source in one line. Queries of addresses and values of engine options are left out: they may hold secrets. */
function sourceText(source: ModelSource): string {
  const { kind, engine, ...fields } = source;
  const words = Object.values(fields).filter((value) => typeof value === 'string');
  const chosen = engine ? ['by', engine.kind, ...Object.keys(engine.options ?? {})] : [];
  return [kind, ...words.map((word) => word.split('?')[0] ?? ''), ...chosen].join(' ');
}

const text = (value: number | null): string => (value === null ? 'default' : String(value));

/** What an update changed, each field as "before → after", as the audit log keeps it. Credentials are named, never shown. */
export function settingsChanges(before: RevisionSettings, after: RevisionSettings): AuditEntry['facts'] {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['source', sourceText(before.source), sourceText(after.source)],
    ['context', text(before.context), text(after.context)],
    ['slots', text(before.slots), text(after.slots)],
    ['threads', text(before.threads), text(after.threads)],
    ['default_max_tokens', text(before.defaultMaxTokens), text(after.defaultMaxTokens)],
  ];
  const changed = pairs.filter(([, was, is]) => was !== is).map(([name, was, is]) => [name, `${was} → ${is}`] as const);
  const options = [before, after].map(({ source }) => JSON.stringify(source.engine?.options ?? {}));
  return {
    ...Object.fromEntries(changed),
    ...(options[0] !== options[1] && { engine_options: 'changed' }),
    ...(before.credential !== after.credential && { credential: 'changed' }),
  };
}
