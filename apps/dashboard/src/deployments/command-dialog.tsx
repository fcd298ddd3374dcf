import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { call } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { announce } from '../ui/announcements.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { ableTo, type Asked, doEach, namesOf } from './command-targets.js';
import { DeploymentImpact } from './deployment-impact.js';
import { slugOf } from './inference-target.js';

export interface CommandDialogProps {
  readonly asked: Asked;
  /** Starts what was stopped again. */
  readonly onUndo: (deployments: readonly DeploymentView[]) => void;
  readonly onSettled: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before deployments are stopped or deleted, and says who uses them. */
export function CommandDialog({ asked, onUndo, onSettled, onClose }: CommandDialogProps): JSX.Element {
  const { command, deployments, onDone } = asked;
  const { verb, done } = WORDS[command];
  const able = ableTo(deployments, command);
  const names = namesOf(able);
  const left = deployments.length - able.length;
  const noun = able.length === 1 ? 'deployment' : 'deployments';
  const finish = (text: string, undo?: () => void): void => {
    announce(text, 'good', undo && { label: 'Undo', run: undo });
    onClose();
    onDone?.();
  };
  const act = async (): Promise<void> => {
    try {
      await doEach(able, (deployment) => call(`deployments/${command}`, { deployment }));
    } finally {
      await onSettled();
    }
    if (command === 'stop') finish(`${names} ${able.length === 1 ? 'is' : 'are'} stopping.`, () => onUndo(able));
    else finish(`${names} ${able.length === 1 ? 'is' : 'are'} deleted.`);
  };
  return (
    <ConfirmDialog
      title={`${verb} ${names}`}
      action={`${verb} ${noun}`}
      typed={typedFor(command, able)}
      impact={<DeploymentImpact ids={able.map(({ id }) => id)} />}
      onConfirm={act}
      onClose={onClose}
    >
      {command === 'stop' ? <p>{STOP}</p> : <DeleteText deployments={able} />}
      {left > 0 && <p className="pt-2 text-muted">{`${plural(left, 'deployment')} of the selection cannot be ${done} now.`}</p>}
    </ConfirmDialog>
  );
}

const STOP = 'New requests get 409 until it is resumed. Running requests have a minute to finish. Aliases and settings stay.';
const WORDS = { stop: { verb: 'Stop', done: 'stopped' }, delete: { verb: 'Delete', done: 'deleted' } } as const;

/** What cannot be undone is typed: the slug of one deployment, the word for several. */
function typedFor(command: Asked['command'], deployments: readonly DeploymentView[]): string | undefined {
  const [only] = deployments;
  if (command === 'stop' || !only) return undefined;
  return deployments.length === 1 ? slugOf(only) : 'delete';
}

function DeleteText({ deployments }: { readonly deployments: readonly DeploymentView[] }): JSX.Element {
  const aliases = deployments.flatMap((one) => one.aliases);
  return (
    <p>
      Requests get 404, also by {aliases.length === 0 ? 'the slug' : `${plural(aliases.length, 'alias', 'aliases')}: ${aliases.join(', ')}`}
      . Past usage stays. This cannot be undone.
    </p>
  );
}
