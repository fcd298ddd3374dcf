import type { JSX } from 'react';
import { buttonClass } from './button.js';
import { Icon } from './icon.js';
import { Menu } from './menu.js';

/** Saves a text as a file of the person's. @param type its media type, such as `text/csv` */
function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export interface ExportMenuProps {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly csv: () => string;
  readonly json: () => string;
  /** True while there is nothing to save. */
  readonly disabled?: boolean;
}

/** Saves what a screen shows as a file. */
export function ExportMenu({ name, csv, json, disabled = false }: ExportMenuProps): JSX.Element {
  return (
    <Menu
      label="Export"
      triggerClass={buttonClass('plain')}
      trigger={
        <>
          <Icon name="download" className="-ml-0.5 size-4" />
          Export
        </>
      }
      entries={[
        { label: 'CSV', icon: 'file', disabled, onSelect: () => saveFile(`${name}.csv`, 'text/csv', csv()) },
        { label: 'JSON', icon: 'code', disabled, onSelect: () => saveFile(`${name}.json`, 'application/json', json()) },
      ]}
    />
  );
}
