import { Link } from '@tanstack/react-router';
import { type JSX, lazy, type ReactNode, Suspense, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { FirstRequest } from '../deployments/first-request.js';
import { useAccount } from '../session/use-session.js';
import { Button, buttonClass } from '../ui/button.js';
import { SecretField } from '../ui/copy-field.js';
import { Icon } from '../ui/icon.js';
import { Panel } from '../ui/page.js';
import { type ChecklistStep, isSetUp, type progressOf, STEPS, type StepState } from './checklist.js';

const CreateKeyDialog = lazy(async () => ({ default: (await import('../api-keys/create-key-dialog.js')).CreateKeyDialog }));

const WORDS: Readonly<Record<ChecklistStep, { readonly title: string; readonly about: string }>> = {
  deploy: { title: 'Deploy a model', about: 'A model that answers requests under an address of its own.' },
  key: { title: 'Create an API key', about: 'Clients send it with every request. It is shown once.' },
  request: { title: 'Send the first request', about: 'Run this in a terminal. This page notices the request within seconds.' },
  team: { title: 'Invite your team', about: 'Optional. Each person signs in with their own address.' },
  tune: { title: 'Fine-tune a model', about: 'Optional. Teach a base model the conversations of a data set.' },
  agent: { title: 'Connect an agent', about: 'Optional. Coding agents manage deployments through the MCP server.' },
};

export interface ChecklistPanelProps {
  readonly progress: ReturnType<typeof progressOf>;
}

/** The first steps in an account, each with its state; the next open one shows how to take it. Gone once all are done. */
export function ChecklistPanel({ progress }: ChecklistPanelProps): JSX.Element | null {
  const [apiKey, setApiKey] = useState<string>();
  const steps = STEPS.filter((step) => progress[step] !== 'absent');
  const next = steps.find((step) => progress[step] === 'open');
  const done = steps.filter((step) => progress[step] === 'done').length;
  if (done === steps.length) return null;
  return (
    <Panel
      title={isSetUp(progress) ? 'More to set up' : 'Get started'}
      actions={
        <span className="text-sm text-muted">
          {done} of {steps.length} done
        </span>
      }
    >
      <ol className="grid gap-1">
        {steps
          .filter((step) => !isSetUp(progress) || progress[step] !== 'done')
          .map((step) => (
            <StepRow key={step} step={step} state={progress[step]} isNext={step === next}>
              <StepContent step={step} apiKey={apiKey} onKey={setApiKey} />
            </StepRow>
          ))}
      </ol>
    </Panel>
  );
}

interface StepRowProps {
  readonly step: ChecklistStep;
  readonly state: StepState;
  readonly isNext: boolean;
  readonly children: ReactNode;
}

function StepRow({ step, state, isNext, children }: StepRowProps): JSX.Element {
  const { title, about } = WORDS[step];
  const isDone = state === 'done';
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className={`grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-3 rounded-md p-2 ${isNext ? 'bg-sunken' : ''}`}
    >
      <span
        className={`mt-0.5 grid size-5 place-items-center rounded-full border ${isDone ? 'border-good bg-good-soft text-good' : 'border-edge'}`}
      >
        {isDone && <Icon name="check" className="size-3" />}
        <span className="sr-only">{isDone ? 'Done:' : 'To do:'}</span>
      </span>
      <div className="grid min-w-0 gap-2">
        <div>
          <span className={isDone ? 'text-muted line-through' : 'font-medium'}>{title}</span>
          {isNext && <p className="text-muted">{about}</p>}
        </div>
        {isNext && children}
      </div>
    </li>
  );
}

interface StepContentProps {
  readonly step: ChecklistStep;
  /** The key that was just created on this page. */
  readonly apiKey: string | undefined;
  readonly onKey: (value: string) => void;
}

function StepContent({ step, apiKey, onKey }: StepContentProps): JSX.Element {
  const { slug: account } = useAccount();
  switch (step) {
    case 'deploy':
      return (
        <Link to="/$account/deployments/create" params={{ account }} className={`${buttonClass('main')} justify-self-start`}>
          <Icon name="rocket" />
          Create deployment
        </Link>
      );
    case 'key':
      return <CreateKeyStep onKey={onKey} />;
    case 'request':
      return <RequestStep apiKey={apiKey} onKey={onKey} />;
    case 'team':
      return (
        <Link to="/$account/members" params={{ account }} className={`${buttonClass('plain')} justify-self-start`}>
          Invite people
        </Link>
      );
    case 'tune':
      return (
        <Link to="/$account/data-sets" params={{ account }} className={`${buttonClass('plain')} justify-self-start`}>
          Open data sets
        </Link>
      );
    case 'agent':
      return (
        <Link to="/$account/api-keys" params={{ account }} search={{ tab: 'mcp' }} className={`${buttonClass('plain')} justify-self-start`}>
          MCP Configuration
        </Link>
      );
  }
}

interface CreateKeyStepProps {
  readonly onKey: (value: string) => void;
  readonly look?: 'main' | 'plain';
}

function CreateKeyStep({ onKey, look = 'main' }: CreateKeyStepProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const created = (_name: string, value: string): void => {
    setOpen(false);
    onKey(value);
  };
  return (
    <>
      <Button look={look} icon="plus" className="justify-self-start" onClick={() => setOpen(true)}>
        Create API key
      </Button>
      <Suspense>{isOpen && <CreateKeyDialog onClose={() => setOpen(false)} onCreated={created} />}</Suspense>
    </>
  );
}

/** A request to paste, and a line that waits for it. */
function RequestStep({ apiKey, onKey }: Omit<StepContentProps, 'step'>): JSX.Element {
  const { data } = useCall('deployments/list', {});
  const ready = data?.deployments.find(({ state }) => state === 'ready');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {apiKey !== undefined && <SecretField label="Key" value={apiKey} copy="Copy key" />}
      {ready && <FirstRequest deployment={ready} {...(apiKey !== undefined && { apiKey })} />}
      {apiKey === undefined && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="text-muted">Use the key that you stored, or another one:</span>
          <CreateKeyStep onKey={onKey} look="plain" />
        </div>
      )}
      <p role="status" className="flex items-center gap-2 text-muted">
        <Icon name="spinner" className="size-4 animate-spin" />
        Waiting for your first request…
      </p>
    </div>
  );
}
