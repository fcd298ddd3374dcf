import { Tabs } from '@base-ui/react/tabs';
import { type JSX, type ReactNode, useState } from 'react';
import { CodeView } from './code-view.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';

/** One text of several that say the same. */
export interface CodeTab<T extends string = string> {
  readonly value: T;
  /** On the tab: "Python". */
  readonly label: string;
  /** As code fences name it; absent = plain text. */
  readonly language?: string;
  readonly text: string;
}

export interface CodePaneProps<T extends string> {
  /** What the code does: "First request". */
  readonly label: string;
  readonly tabs: readonly CodeTab<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** What else is chosen: the contract, the key. */
  readonly choices?: ReactNode;
  /** Lines that come before, each to be copied by itself: how a variable gets its value. */
  readonly before?: { readonly label: string; readonly text: string };
}

const SQUARE = 'rounded-sm p-1.5 text-muted hover:bg-line hover:text-ink pointer-coarse:p-3.5';

/** Code in the languages that somebody may choose from, with copy and line wrap. */
export function CodePane<T extends string>({ label, tabs, value, onChange, choices, before }: CodePaneProps<T>): JSX.Element {
  const [isWrapped, setWrapped] = useState(true);
  const shown = tabs.find((tab) => tab.value === value) ?? tabs[0];
  return (
    <Tabs.Root
      value={shown?.value}
      onValueChange={(next: T) => onChange(next)}
      className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 border-b border-line pr-1.5 pl-1">
        <Tabs.List aria-label={`Language of: ${label}`} className="flex min-w-0 overflow-x-auto">
          {tabs.map((tab) => (
            <Tabs.Tab
              key={tab.value}
              value={tab.value}
              className="-mb-px min-h-9 border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap text-muted hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink pointer-coarse:min-h-11"
            >
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-1 py-1">
          {choices}
          <button
            type="button"
            aria-pressed={isWrapped}
            aria-label="Wrap lines"
            title="Wrap lines"
            onClick={() => setWrapped(!isWrapped)}
            className={`${SQUARE} aria-pressed:bg-line aria-pressed:text-ink`}
          >
            <Icon name="wrap" />
          </button>
          <CopyButton text={shown?.text ?? ''} look="quiet" isTight aria-label={`Copy: ${label}`} />
        </div>
      </div>
      {before && (
        <div className="flex items-center justify-between gap-2 border-b border-line pr-1.5">
          <CodeView label={before.label} text={before.text} language="bash" isWrapped />
          <CopyButton text={before.text} look="quiet" isTight aria-label={`Copy: ${before.label}`} />
        </div>
      )}
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          <CodeView label={label} text={tab.text} isWrapped={isWrapped} {...(tab.language !== undefined && { language: tab.language })} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
