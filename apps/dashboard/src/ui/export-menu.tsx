import type { JSX } from 'react';
import { saveText } from '../api/save.js';
import { buttonClass } from './button.js';
import { Icon } from './icon.js';
import { Menu, type MenuEntry } from './menu.js';

export interface ExportMenuProps {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly csv: () => string;
  readonly json: () => string;
  /** True while there is nothing to save. */
  readonly disabled?: boolean;
}

/** Saves what a screen shows as a file. */
export const ExportMenu = ({ name, csv, json, disabled = false }: ExportMenuProps): JSX.Element => (
  <FormsMenu
    entries={[
      { label: 'CSV', icon: 'file', disabled, onSelect: () => saveText(`${name}.csv`, 'text/csv', csv()) },
      { label: 'JSON', icon: 'code', disabled, onSelect: () => saveText(`${name}.json`, 'application/json', json()) },
    ]}
  />
);

/** Offers something as a file, in each of several forms. */
export const FormsMenu = ({ entries }: { readonly entries: readonly MenuEntry[] }): JSX.Element => (
  <Menu
    label="Export"
    triggerClass={buttonClass('plain')}
    trigger={
      <>
        <Icon name="download" className="-ml-0.5 size-4" />
        Export
      </>
    }
    entries={entries}
  />
);
