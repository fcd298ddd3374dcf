import { Tabs as Base } from '@base-ui/react/tabs';
import type { JSX, ReactNode } from 'react';

export interface TabItem<T extends string> {
  readonly value: T;
  readonly label: string;
  /** Address of the page with this tab open, so that a tab can be copied and opened in another window. */
  readonly href?: string;
  /** How many things it holds. */
  readonly count?: number | undefined;
  readonly content: ReactNode;
}

export interface TabsProps<T extends string> {
  readonly label: string;
  readonly items: readonly TabItem<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

const TAB =
  '-mb-px inline-flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-muted transition-colors first:pl-0 hover:text-ink pointer-coarse:min-h-11 aria-selected:border-accent aria-selected:text-ink';

/** Parts of a screen, one at a time. */
export function Tabs<T extends string>({ label, items, value, onChange }: TabsProps<T>): JSX.Element {
  return (
    <Base.Root value={value} onValueChange={(next: T) => onChange(next)}>
      <Base.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {items.map((item) => (
          <Tab key={item.value} item={item} />
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value} className="pt-5 outline-offset-4">
          {item.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

/** A plain click changes the tab in place; with Ctrl or the middle button the browser follows the address. */
const openHere = (event: React.MouseEvent): void => {
  if (!(event.metaKey || event.ctrlKey || event.shiftKey)) event.preventDefault();
};

function Tab<T extends string>({ item: { value, label, href, count } }: { readonly item: TabItem<T> }): JSX.Element {
  const words = (
    <>
      {label}
      {count !== undefined && <span className="rounded-full bg-sunken px-1.5 text-xs font-normal text-muted tabular-nums">{count}</span>}
    </>
  );
  if (href === undefined) {
    return (
      <Base.Tab value={value} className={TAB}>
        {words}
      </Base.Tab>
    );
  }
  return (
    <Base.Tab
      value={value}
      className={TAB}
      nativeButton={false}
      render={
        <a href={href} onClick={openHere}>
          {words}
        </a>
      }
    />
  );
}
