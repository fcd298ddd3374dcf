import { Menu as Base } from '@base-ui/react/menu';
import { Fragment, type JSX, type ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';
import { Kbd } from './kbd.js';
import { OVERLAY, OVERLAY_HEADING, OVERLAY_ITEM } from './overlay.js';

export interface MenuEntry {
  readonly label: string;
  readonly onSelect: () => void;
  readonly icon?: IconName;
  /** Keys that do the same: "mod+k". Shown only. */
  readonly keys?: string;
  /** It is the one that holds now. */
  readonly checked?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

export interface MenuGroup {
  /** Heading; absent for a group that a line alone sets apart. */
  readonly title?: string;
  readonly entries: readonly MenuEntry[];
}

export interface MenuProps {
  /** What the button is called where it shows a picture alone. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly triggerClass: string;
  readonly entries: readonly MenuEntry[] | readonly MenuGroup[];
  readonly align?: 'start' | 'end';
}

const isGrouped = (entries: MenuProps['entries']): entries is readonly MenuGroup[] => entries.some((one) => 'entries' in one);

/** A button that opens a list of actions. */
export function Menu({ label, trigger, triggerClass, entries, align = 'end' }: MenuProps): JSX.Element {
  const groups = isGrouped(entries) ? entries : [{ entries }];
  return (
    <Base.Root>
      <Base.Trigger aria-label={label} className={triggerClass}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-60">
          <Base.Popup className={`${OVERLAY} max-h-(--available-height) min-w-44 max-w-80 overflow-y-auto p-1`}>
            {groups.map((group, at) => (
              <Fragment key={group.title ?? at}>
                {at > 0 && <Base.Separator className="mx-1 my-1 h-px bg-line" />}
                <Base.Group>
                  {group.title !== undefined && <Base.GroupLabel className={OVERLAY_HEADING}>{group.title}</Base.GroupLabel>}
                  {group.entries.map((entry) => (
                    <Entry key={entry.label} entry={entry} />
                  ))}
                </Base.Group>
              </Fragment>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Entry({ entry }: { readonly entry: MenuEntry }): JSX.Element {
  const { label, onSelect, icon, keys, checked, danger = false, disabled = false } = entry;
  return (
    <Base.Item disabled={disabled} onClick={onSelect} className={`${OVERLAY_ITEM} ${danger ? 'text-bad' : ''}`}>
      {icon && <Icon name={icon} className={`size-4 ${danger ? '' : 'text-muted'}`} />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {checked === true && (
        <>
          <Icon name="check" className="size-4 text-accent" />
          <span className="sr-only">(current)</span>
        </>
      )}
      {keys !== undefined && <Kbd keys={keys} />}
    </Base.Item>
  );
}
