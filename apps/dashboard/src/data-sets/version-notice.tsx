import type { DatasetRepair, VersionView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { ProgressBar } from '../ui/meter.js';
import { Notice } from '../ui/notice.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';
import { isMoving, REPAIRS, reasonOf, stateText } from './version-words.js';

/** How far the check of a version is, or why the version cannot be used and what can be done about it. */
export function VersionNotice({ details, version }: ShownVersion): JSX.Element | null {
  if (isMoving(version)) {
    const found = version.rejected > 0 ? `, ${plural(version.rejected, 'broken example')} so far` : '';
    return (
      <div className="rounded-lg border border-line bg-surface p-4" aria-live="polite">
        <ProgressBar
          label={`Check of version ${version.number}`}
          share={version.progress}
          text={`${stateText(version)}: ${plural(version.examples, 'good example')}${found}`}
        />
      </div>
    );
  }
  const reason = reasonOf(version);
  if (reason === null && version.repairs.length === 0) return null;
  return (
    <Notice look={reason === null ? 'info' : 'bad'}>
      <div className="grid gap-2">
        <p>{reason ?? `This version has ${plural(version.duplicates, 'duplicate')}.`}</p>
        <Repairs dataset={details.dataset.id} version={version} />
      </div>
    </Notice>
  );
}

interface RepairsProps {
  readonly dataset: number;
  readonly version: VersionView;
}

/** The repairs that would help. Each makes a version of the same file. */
function Repairs({ dataset, version }: RepairsProps): JSX.Element | null {
  const mayChange = useMayChange();
  const [, set] = useUrlState(DATA_SET_SEARCH);
  const repair = useChange('versions/repair', ['datasets/', 'versions/']);
  const [running, setRunning] = useState<DatasetRepair | null>(null);
  if (!mayChange || version.repairs.length === 0) return null;
  const apply = async (one: DatasetRepair): Promise<void> => {
    setRunning(one);
    try {
      const made = await repair.mutateAsync({ dataset, version: version.number, repairs: [one] });
      announce(`Version ${made.version} is being made.`);
      set({ v: 0, tab: 'auto' });
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
    setRunning(null);
  };
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-2">
      {version.repairs.map((one) => (
        <li key={one} className="grid justify-items-start gap-1">
          <Button icon="wrench" busy={running === one} disabled={running !== null} onClick={() => void apply(one)}>
            {REPAIRS[one].action}
          </Button>
          <span className="text-xs text-muted">{REPAIRS[one].about}</span>
        </li>
      ))}
    </ul>
  );
}
