import type { DeploymentView } from '@slipway/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { type JSX, lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { announce } from '../ui/announcements.js';
import { actionsOf, type DeploymentAction } from './deployment-actions.js';

const CommandDialog = lazy(async () => ({ default: (await import('./command-dialog.js')).CommandDialog }));

/** A command that others notice, before it is given. */
export interface Asked {
  readonly command: 'stop' | 'delete';
  readonly deployments: readonly DeploymentView[];
  /** Runs once it is done. */
  readonly onDone?: (() => void) | undefined;
}

export interface DeploymentCommands {
  /** Asks first. Of several deployments, those that cannot take the command are left out. */
  readonly ask: (asked: Asked) => void;
  /** Starts stopped deployments, and tries failed ones again. */
  readonly resume: (deployments: readonly DeploymentView[], onDone?: () => void) => Promise<void>;
  readonly rollBack: (deployment: DeploymentView, base: number, note?: string) => Promise<void>;
  /** The open question, to be drawn once on the screen. */
  readonly dialog: JSX.Element | null;
}

/** Those of the deployments that can take a command as they are now. */
export const ableTo = (deployments: readonly DeploymentView[], ...actions: readonly DeploymentAction[]): readonly DeploymentView[] =>
  deployments.filter((one) => actionsOf(one).some((action) => actions.includes(action)));

/** What several deployments are called: the name of one, or their number. */
export const namesOf = (deployments: readonly Pick<DeploymentView, 'name'>[]): string =>
  deployments.length === 1 ? `“${deployments[0]?.name ?? ''}”` : plural(deployments.length, 'deployment');

/** Does the same with each, one after the other; the first failure ends it. */
export async function doEach(
  deployments: readonly DeploymentView[],
  act: (deployment: DeploymentView['id']) => Promise<unknown>,
): Promise<void> {
  for (const { id } of deployments) await act(id);
}

/** Commands to deployments with their questions, and what came of them in a corner of the page. */
export function useDeploymentCommands(): DeploymentCommands {
  const client = useQueryClient();
  const [asked, setAsked] = useState<Asked | null>(null);
  const refresh = (): Promise<void> =>
    client.invalidateQueries({ predicate: ({ queryKey: [name] }) => /^(?:deployments|aliases)\//.test(String(name)) });
  const resume: DeploymentCommands['resume'] = async (deployments, onDone) => {
    try {
      await doEach(deployments, (deployment) => call('deployments/resume', { deployment }));
      announce(`${namesOf(deployments)} ${deployments.length === 1 ? 'is' : 'are'} loading.`);
      onDone?.();
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
    await refresh();
  };
  const rollBack: DeploymentCommands['rollBack'] = async ({ id }, base, note = '') => {
    const { rev } = await call('deployments/update', { deployment: id, base, ...(note !== '' && { note }) });
    announce(`Revision ${rev} has the settings of revision ${base}.`);
    await refresh();
  };
  return {
    ask: setAsked,
    resume,
    rollBack,
    dialog: (
      <Suspense>
        {asked && (
          <CommandDialog asked={asked} onUndo={(stopped) => void resume(stopped)} onSettled={refresh} onClose={() => setAsked(null)} />
        )}
      </Suspense>
    ),
  };
}
