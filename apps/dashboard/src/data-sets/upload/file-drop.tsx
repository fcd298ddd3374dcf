import { type JSX, type ReactNode, useRef, useState } from 'react';
import { Button, type ButtonLook } from '../../ui/button.js';

/** What training files are called. Others may be chosen, too: the content decides. */
const ACCEPT = '.jsonl,.json,.ndjson,.csv,.gz';

export interface FileDropProps {
  readonly onFile: (file: File) => void;
  readonly children: ReactNode;
}

/** A place on which a file can be dropped. What is inside works without a mouse. */
export function FileDrop({ onFile, children }: FileDropProps): JSX.Element {
  const [isOver, setOver] = useState(false);
  return (
    <div
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file) onFile(file);
      }}
      className={`rounded-lg ${isOver ? 'outline-2 outline-offset-2 outline-accent outline-dashed' : ''}`}
    >
      {children}
    </div>
  );
}

export interface FileButtonProps {
  readonly label: string;
  readonly look?: ButtonLook;
  /** What files are called that are shown first. */
  readonly accept?: string;
  readonly onFile: (file: File) => void;
}

/** Chooses one file of the person's. */
export function FileButton({ label, look = 'plain', accept = ACCEPT, onFile }: FileButtonProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        tabIndex={-1}
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file) onFile(file);
        }}
      />
      <Button look={look} icon="upload" onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
}
