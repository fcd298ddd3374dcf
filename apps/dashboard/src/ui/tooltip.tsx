import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { JSX, ReactElement, ReactNode } from 'react';

/** One tooltip for the whole page: a table with hundreds of times would otherwise hold hundreds of them. */
const shared = Base.createHandle<ReactNode>();
const DELAY_MS = 400;

export interface TooltipProps {
  readonly text: ReactNode;
  /** An element of the page that takes a `ref`. It has a name of its own; the tooltip is for eyes alone. */
  readonly children: ReactElement<Record<string, unknown>>;
}

/** Explains an element while the pointer or the focus is on it. */
export function Tooltip({ text, children }: TooltipProps): JSX.Element {
  return <Base.Trigger handle={shared} payload={text} delay={DELAY_MS} render={children} />;
}

/** Where tooltips are drawn; once on a page. */
export function TooltipLayer(): JSX.Element {
  return (
    <Base.Root handle={shared}>
      {({ payload }) => (
        <Base.Portal>
          <Base.Positioner sideOffset={6} collisionPadding={8} className="z-80">
            <Base.Popup className="max-w-xs rounded-md bg-ink px-2 py-1 text-xs break-words text-page">{payload}</Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      )}
    </Base.Root>
  );
}
