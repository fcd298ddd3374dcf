import { type JSX, type RefObject, useEffect, useRef, useState } from 'react';
import { Icon } from '../icon.js';

/** How long somebody pauses before the rows follow, in milliseconds. */
const PAUSE_MS = 80;
const TEXT_MAX = 200;

export interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Enter: to what was found. */
  readonly onEnter: (text: string) => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

/** What a table is searched for. Typing stays ahead of the rows; the address follows in pauses. */
export function SearchBox({ label, value, onChange, onEnter, input }: SearchBoxProps): JSX.Element {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    // Only what somebody else changed, such as Back or Clear: its own echo may be older than what is typed by now.
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const send = (next: string): void => {
    clearTimeout(timer.current);
    if (next === sent.current) return;
    sent.current = next;
    onChange(next);
  };
  const type = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => send(next), PAUSE_MS);
  };
  return (
    <div className="relative min-w-40 flex-1 basis-full sm:max-w-72 sm:basis-40">
      <Icon name="search" className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        maxLength={TEXT_MAX}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '') {
            event.preventDefault();
            setText('');
            send('');
          }
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send(text);
            onEnter(text);
          }
        }}
        className="field peer pr-8 pl-8 [&::-webkit-search-cancel-button]:hidden"
      />
      <kbd
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 right-2 hidden -translate-y-1/2 rounded-sm border border-line px-1 text-xs text-muted peer-focus:hidden sm:block"
      >
        /
      </kbd>
    </div>
  );
}
