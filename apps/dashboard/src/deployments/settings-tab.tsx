import { useBlocker } from '@tanstack/react-router';
import type { DeploymentView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useRef, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { AliasesPanel } from './aliases-panel.js';
import { DangerZone } from './danger-zone.js';
import { type DeploymentDetails, seenContext } from './deployment-details.js';
import { type DeploymentDraft, type Faults, faultsOf, fieldOfParam, NAME_MAX, NOTE_MAX } from './deployment-draft.js';
import { fitQuestion, MemoryFit, useFit } from './memory-fit.js';
import { type DraftFieldsProps, DraftText } from './draft-text.js';
import { ModelFields } from './model-fields.js';
import { ReplicaFields } from './replica-fields.js';
import { settingsChange, storedDraft } from './settings-draft.js';
import { sourceCards } from './create/source-step.js';
import { SizeFields } from './size-fields.js';
import { StoreField } from './store-field.js';
import { useOptions } from './use-options.js';

/** The settings of a deployment in one column; nothing changes before it is saved. */
export function SettingsTab({ details }: { readonly details: DeploymentDetails }): JSX.Element {
  const mayChange = useMayChange();
  const stored = storedDraft(details);
  if (!mayChange) return <Notice look="info">Only members and owners can change settings.</Notice>;
  return (
    <div className="grid max-w-160 grid-cols-[minmax(0,1fr)] gap-5">
      {stored && (
        <SettingsForm
          key={details.deployment.rev}
          stored={stored}
          deployment={details.deployment}
          modelContext={seenContext(details)}
          credential={details.revisions[0]?.credential === true}
        />
      )}
      <AliasesPanel deployment={details.deployment} />
      <DangerZone deployment={details.deployment} />
    </div>
  );
}

interface SettingsFormProps {
  readonly stored: DeploymentDraft;
  readonly deployment: DeploymentView;
  /** What the model was seen to take; null = not known. */
  readonly modelContext: number | null;
  /** A credential of the engine is stored. */
  readonly credential: boolean;
}

function SettingsForm({ stored, deployment, modelContext, credential }: SettingsFormProps): JSX.Element {
  const [edited, setEdited] = useState<Partial<DeploymentDraft>>({});
  const form = useRef<HTMLFormElement>(null);
  const draft = { ...stored, ...edited };
  const change = settingsChange(deployment.id, deployment.rev, stored, draft);
  const isChanged = change.update !== null || change.scale !== null;
  const saving = useSave(() => setEdited({}));
  const mine = faultsOf(draft);
  const faults: Faults = { ...saving.faults, ...mine };
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (Object.keys(mine).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    else void saving.save(change);
  };
  const fields: DraftFieldsProps = {
    ...{ draft, faults, deployment: deployment.id },
    onChange: (part) => {
      saving.forget();
      setEdited((before) => ({ ...before, ...part }));
    },
  };
  return (
    <form ref={form} onSubmit={save} noValidate className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <General {...fields} ready={deployment.ready_replicas} />
      <Panel title="Model">
        {draft.adapter === '' && <SourceSelect {...fields} />}
        <ModelFields {...fields} />
        {draft.kind === 'http' && credential && draft.credential === '' && (
          <p className="text-xs text-muted">A credential is stored. It stays unless you enter another, or move to another host.</p>
        )}
      </Panel>
      <Size {...fields} modelContext={draft.path === stored.path && draft.uri === stored.uri ? modelContext : null} />
      {isChanged && (
        <SaveBar
          {...{ draft, fields, saving }}
          isRevision={change.isRevision}
          onDiscard={() => {
            saving.forget();
            setEdited({});
          }}
        />
      )}
      <LeaveGuard isChanged={isChanged} />
    </form>
  );
}

/** Where the model comes from; what the operator forbids cannot be chosen. */
function SourceSelect({ draft, faults, onChange }: DraftFieldsProps): JSX.Element {
  const cards = sourceCards(useOptions()?.sources);
  return (
    <SelectField
      label="Source"
      choices={cards.map(({ value, title, text, locked }) => ({
        ...{ value, label: title, disabled: locked !== undefined && value !== draft.kind },
        hint: locked ?? text,
      }))}
      value={draft.kind}
      fault={faults.kind}
      onChange={({ target }) => {
        const kind = cards.find(({ value }) => value === target.value)?.value;
        if (kind) onChange({ kind, engine: '', engineOptions: {} });
      }}
    />
  );
}

function General({ ready, ...fields }: DraftFieldsProps & { readonly ready: number }): JSX.Element {
  return (
    <Panel title="General">
      <DraftText {...fields} field="name" label="Name" maxLength={NAME_MAX} />
      <ReplicaFields {...fields} hint={`${ready} ready now. Changing this does not reload the model.`} />
      <StoreField {...fields} />
    </Panel>
  );
}

function Size({ modelContext, ...fields }: DraftFieldsProps & { readonly modelContext: number | null }): JSX.Element {
  const fit = useFit(fitQuestion(fields.draft));
  return (
    <Panel title="Size">
      <SizeFields {...fields} modelContext={modelContext} />
      {fields.draft.kind !== 'http' && <MemoryFit query={fit} />}
    </Panel>
  );
}

interface Saving {
  readonly busy: boolean;
  readonly faults: Faults;
  /** What is wrong with no field of the form. */
  readonly message: string | null;
  readonly save: (change: ReturnType<typeof settingsChange>) => Promise<void>;
  readonly forget: () => void;
}

/** Saves name and revision first, then replicas. @param onSaved runs once all is saved */
function useSave(onSaved: () => void): Saving {
  const update = useChange('deployments/update', ['deployments/']);
  const scale = useChange('deployments/scale', ['deployments/']);
  const [error, setError] = useState<unknown>(null);
  const save: Saving['save'] = async (change) => {
    setError(null);
    try {
      const updated = change.update && (await update.mutateAsync(change.update));
      if (change.scale) await scale.mutateAsync(change.scale);
      const isNew = change.isRevision && updated?.changed;
      announce(isNew ? `Revision ${updated.rev} loads; the one before serves until it is ready.` : 'Saved.');
      onSaved();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const field = error instanceof ConsoleError ? fieldOfParam(error.param) : null;
  return {
    busy: update.isPending || scale.isPending,
    faults: field === null ? {} : { [field]: messageOf(error) },
    message: error === null || field !== null ? null : messageOf(error),
    save,
    forget: () => setError(null),
  };
}

interface SaveBarProps {
  readonly draft: DeploymentDraft;
  readonly fields: DraftFieldsProps;
  readonly saving: Saving;
  readonly isRevision: boolean;
  readonly onDiscard: () => void;
}

/** What is not saved yet, in sight wherever somebody is on the page. */
function SaveBar({ draft, fields, saving, isRevision, onDiscard }: SaveBarProps): JSX.Element {
  return (
    <div
      role="region"
      aria-label="Unsaved changes"
      className="sticky bottom-3 z-20 grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-rim bg-raised p-3 shadow-overlay"
    >
      {saving.message !== null && <Notice look="bad">{saving.message}</Notice>}
      {isRevision && (
        <TextField
          label="Note (optional)"
          bare
          maxLength={NOTE_MAX}
          autoComplete="off"
          placeholder="Why: a note for the new revision"
          value={draft.note}
          fault={fields.faults.note}
          onChange={({ target }) => fields.onChange({ note: target.value })}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-48 text-sm text-muted">
          {isRevision ? 'Unsaved changes make a new revision.' : 'Unsaved changes.'}
        </p>
        <Button onClick={onDiscard} disabled={saving.busy}>
          Discard
        </Button>
        <Button type="submit" look="main" busy={saving.busy}>
          {isRevision ? 'Save as new revision' : 'Save'}
        </Button>
      </div>
    </div>
  );
}

/** Asks before somebody leaves with unsaved changes. */
function LeaveGuard({ isChanged }: { readonly isChanged: boolean }): JSX.Element | null {
  const blocker = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: () => isChanged, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      action="Leave"
      onConfirm={() => Promise.resolve(blocker.proceed())}
      onClose={() => blocker.reset()}
    >
      <p>Your changes are not saved.</p>
    </ConfirmDialog>
  );
}
