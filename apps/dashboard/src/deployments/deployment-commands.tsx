import type { DeploymentView } from '@slipway/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { type JSX, lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { type Asked, doEach, namesOf } from './command-targets.js';

const CommandDialog = lazy(async () => ({ default: (await import('./command-dialog.js')).CommandDialog }));

export interface DeploymentCommands {
  /** Asks first. Of several deployments, those that cannot take the command are left out. */
  readonly ask: (asked: Asked) => void;
  /** Starts stopped deployments, and tries failed ones again. */
  readonly resume: (deployments: readonly DeploymentView[], onDone?: () => void) => Promise<void>;
  /** The open question, to be drawn once on the screen. */
  readonly dialog: JSX.Element | null;
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
  return {
    ask: setAsked,
    resume,
    dialog: (
      <Suspense>
        {asked && (
          <CommandDialog asked={asked} onUndo={(stopped) => void resume(stopped)} onSettled={refresh} onClose={() => setAsked(null)} />
        )}
      </Suspense>
    ),
  };
}
