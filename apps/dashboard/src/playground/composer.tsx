import { type JSX, type KeyboardEvent, useState } from 'react';
import { Button } from '../ui/button.js';
import { TextArea, TextField } from '../ui/field.js';
import type { ToolCall } from './conversation.js';

export interface ComposerProps {
  /** What was being written when the screen was left. */
  readonly draft: string;
  /** Called at every change of the text. */
  readonly onDraft: (text: string) => void;
  readonly isRunning: boolean;
  /** Calls of the last answers, whose results the models need to go on. */
  readonly calls: readonly ToolCall[];
  /** Why nothing can be sent; null = something can. */
  readonly hindrance: string | null;
  /** @param results by the call's id */
  readonly onSend: (text: string, results: Readonly<Record<string, string>>) => void;
  readonly onStop: () => void;
}

/** Where the next question is written. */
export function Composer({ draft, onDraft, isRunning, calls, hindrance, onSend, onStop }: ComposerProps): JSX.Element {
  const [text, setDrawn] = useState(draft);
  const setText = (next: string): void => {
    setDrawn(next);
    onDraft(next);
  };
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const canSend = !isRunning && hindrance === null && (text.trim() !== '' || calls.length > 0);
  const send = (): void => {
    if (!canSend) return;
    onSend(text.trim(), results);
    setText('');
    setResults({});
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="sticky bottom-0 grid gap-3 -mx-1 border-t border-line bg-page px-1 pt-3 pb-4 -mb-4 sm:-mb-6"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <CallResults calls={calls} results={results} onResults={setResults} />
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2">
        <TextArea
          label="Message"
          rows={2}
          value={text}
          onChange={({ target: { value } }) => setText(value)}
          onKeyDown={onKeyDown}
          className="max-h-60 resize-y"
        />
        {isRunning ? (
          <Button
            icon="stop"
            className="min-h-[3.25rem]"
            onClick={({ currentTarget }) => {
              onStop();
              // The button is removed, so keyboard focus moves to the text.
              currentTarget.form?.querySelector('textarea')?.focus();
            }}
          >
            Stop
          </Button>
        ) : (
          <Button type="submit" look="main" icon="send" className="min-h-[3.25rem]" disabled={!canSend}>
            Send
          </Button>
        )}
      </div>
      <p className={`text-xs ${hindrance === null ? 'text-muted' : 'text-bad'}`} role={hindrance === null ? undefined : 'alert'}>
        {hindrance ?? 'Enter to send, Shift + Enter for a new line.'}
      </p>
    </form>
  );
}

interface CallResultsProps {
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly results: Readonly<Record<string, string>>;
  readonly onResults: (results: Readonly<Record<string, string>>) => void;
}

/** A field for the result of each call that the model made. */
function CallResults({ calls, results, onResults }: CallResultsProps): JSX.Element[] {
  return calls.map(({ id, name }) => (
    <TextField
      key={id}
      label={`Result of ${name}`}
      hint={`For the call ${id}`}
      value={results[id] ?? ''}
      onChange={({ target: { value } }) => onResults({ ...results, [id]: value })}
    />
  ));
}
