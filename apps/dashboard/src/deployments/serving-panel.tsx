import type { RevisionView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { type DeploymentDraft, EMPTY_DRAFT, engineFields, faultsOf, requestOf } from './deployment-draft.js';
import { ServingFields } from './serving-fields.js';
import { SourceFields } from './source-fields.js';

const textOf = (value: number | null): string => (value === null ? '' : String(value));

function draftOf({ source, context, slots, default_max_tokens: longest }: RevisionView): DeploymentDraft {
  const settings = { name: '-', context: textOf(context), slots: textOf(slots), defaultMaxTokens: textOf(longest) };
  const { engine: _, ...place } = source;
  return { ...EMPTY_DRAFT, ...settings, ...place, ...engineFields(source) };
}

/** The settings of the newest revision; saving them makes the next one. */
export function ServingPanel({ id, revision }: { readonly id: number; readonly revision: RevisionView }): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(revision));
  const update = useChange('deployments/update', ['deployments/']);
  const faults = faultsOf(draft);
  const change = (part: Partial<DeploymentDraft>): void => setDraft({ ...draft, ...part });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (Object.keys(faults).length > 0) return;
    const { source, credential, context = null, slots = null, default_max_tokens: longest = null } = requestOf(draft);
    const same = JSON.stringify(source) === JSON.stringify(revision.source);
    update.mutate(
      {
        deployment: id,
        context,
        slots,
        default_max_tokens: longest,
        ...(!same && { source }),
        ...(credential !== undefined && { credential }),
      },
      {
        onSuccess: ({ rev, changed }) =>
          announce(changed ? `Revision ${rev} loads; the one before serves until it is ready.` : 'Nothing has changed.'),
      },
    );
  };
  return (
    <Panel title="Model and size">
      <form className="grid gap-4" onSubmit={submit} noValidate>
        <SourceFields draft={draft} faults={faults} onChange={change} deployment={id} />
        {draft.kind === 'http' && revision.credential && (
          <p className="text-sm text-muted">A key for the engine is stored. It stays unless you name another, or another host.</p>
        )}
        <div className="grid gap-4 sm:grid-cols-3">
          <ServingFields draft={draft} faults={faults} onChange={change} fields={['context', 'slots', 'defaultMaxTokens']} />
        </div>
        <p className="text-sm text-muted">
          Empty fields take the default. The revision that serves goes on until the new one is ready, and for good if that fails.
        </p>
        {update.isError && <Notice look="bad">{messageOf(update.error)}</Notice>}
        <div>
          <Button type="submit" look="main" busy={update.isPending} disabled={Object.keys(faults).length > 0}>
            Save as new revision
          </Button>
        </div>
      </form>
    </Panel>
  );
}
