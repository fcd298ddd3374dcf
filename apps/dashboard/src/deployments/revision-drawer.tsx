import type { DeploymentView, RevisionView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { Button } from '../ui/button.js';
import { Drawer } from '../ui/drawer.js';
import { SelectField } from '../ui/field.js';
import { KeyValues } from '../ui/key-values.js';
import { Moment } from '../ui/moment.js';
import { Status } from '../ui/status.js';
import { type DiffLine, revisionDiff, revisionState } from './revision-diff.js';

export interface RevisionDrawerProps {
  readonly deployment: DeploymentView;
  /** Newest first. */
  readonly revisions: readonly RevisionView[];
  /** The revision that is shown; 0 = none. */
  readonly diff: number;
  /** Who made it. */
  readonly maker: string;
  /** Absent for viewers. */
  readonly onRollBack: ((rev: number) => void) | undefined;
  readonly onClose: () => void;
}

/** One revision beside another. */
export function RevisionDrawer({ deployment, revisions, diff, maker, onRollBack, onClose }: RevisionDrawerProps): JSX.Element {
  const shown = revisions.find(({ rev }) => rev === diff);
  const others = revisions.filter(({ rev }) => rev !== diff);
  const [chosen, setChosen] = useState(() => others.find(({ rev }) => rev < diff)?.rev ?? others[0]?.rev ?? 0);
  const other = others.find(({ rev }) => rev === chosen);
  const canRollBack = shown !== undefined && onRollBack !== undefined && shown.rev !== deployment.rev;
  return (
    <Drawer
      title={`Revision ${diff}`}
      open={shown !== undefined}
      onClose={onClose}
      {...(canRollBack && {
        actions: (
          <Button icon="undo" onClick={() => onRollBack(diff)}>
            Roll back
          </Button>
        ),
      })}
    >
      {shown && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <KeyValues
            facts={[
              ['State', <Status key="state" {...revisionState(shown.rev, deployment)} />],
              ['Made by', maker],
              ['Made', <Moment key="at" at={shown.created_at} exact />],
              ['Note', shown.note || '–'],
            ]}
          />
          {other && (
            <>
              <SelectField
                label="Compare with"
                choices={others.map(({ rev }) => ({ value: String(rev), label: `Revision ${rev}` }))}
                value={String(chosen)}
                onChange={({ target }) => setChosen(Number(target.value))}
              />
              <DiffTable
                lines={chosen < diff ? revisionDiff(other, shown) : revisionDiff(shown, other)}
                titles={[`Revision ${Math.min(chosen, diff)}`, `Revision ${Math.max(chosen, diff)}`]}
              />
            </>
          )}
          {!other && <DiffTable lines={revisionDiff(shown, shown)} titles={[null, `Revision ${diff}`]} />}
        </div>
      )}
    </Drawer>
  );
}

interface DiffTableProps {
  readonly lines: readonly DiffLine[];
  /** Of both columns; the first is left out where there is nothing to compare with. */
  readonly titles: readonly [string | null, string];
}

function DiffTable({ lines, titles: [before, after] }: DiffTableProps): JSX.Element {
  const cell = 'px-2 py-1.5 align-top wrap-anywhere';
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <table aria-label="Settings" className="w-full table-fixed text-left text-sm">
        <thead className="border-b border-line text-xs text-muted">
          <tr>
            <th scope="col" className={`${cell} w-1/4 font-medium`}>
              Setting
            </th>
            {before !== null && (
              <th scope="col" className={`${cell} font-medium`}>
                {before}
              </th>
            )}
            <th scope="col" className={`${cell} font-medium`}>
              {after}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ setting, before: was, after: is, isChanged }) => (
            <tr key={setting} className="border-line not-last:border-b">
              <th scope="row" className={`${cell} font-normal text-muted`}>
                {setting}
                {isChanged && <span className="sr-only"> (changed)</span>}
              </th>
              {before !== null && (
                <td className={`${cell} ${isChanged ? 'bg-bad-soft line-through decoration-bad/50' : ''}`}>{was ?? '–'}</td>
              )}
              <td className={`${cell} ${isChanged ? 'bg-good-soft font-medium' : ''}`}>{is ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
