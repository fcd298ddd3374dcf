import type { AdapterImportView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { Notice } from '../ui/notice.js';
import { importText } from './import-adapter.js';

/** How soon imports are looked at again while one is open, and otherwise, in milliseconds. */
const EVERY_MS = { open: 2_000, settled: 60_000 } as const;
/** How long the failure of an import is shown, in milliseconds. */
const FAILED_MS = 3_600_000;

const isOpen = ({ state }: AdapterImportView): boolean => state === 'waiting' || state === 'checking';
const isShown = (one: AdapterImportView): boolean =>
  isOpen(one) || (one.state === 'failed' && Date.now() - Date.parse(one.created_at) < FAILED_MS);

/** Adapters that are being imported, and why the newest ones were not. */
export function RecentImports(): JSX.Element | null {
  const { data } = useCall(
    'adapters/imports',
    {},
    { every: (known) => EVERY_MS[known?.imports.some(isOpen) === true ? 'open' : 'settled'] },
  );
  const shown = data?.imports.filter(isShown) ?? [];
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Imports" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {shown.map((one) => (
        <li key={one.upload}>
          <Notice look={isOpen(one) ? 'info' : 'warn'}>
            <span className="wrap-anywhere">
              {isOpen(one) ? `Import of ${one.name}: ` : `${one.name} was not imported: `}
              {importText(one)}
            </span>
          </Notice>
        </li>
      ))}
    </ul>
  );
}
