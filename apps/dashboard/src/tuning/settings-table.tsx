import type { ResolvedSetting } from '@slipway/contracts';
import type { JSX } from 'react';
import { SETTING_NAMES, settingText } from './job-words.js';

/** Settings as they apply, each with its reason. */
export function SettingsTable({ settings }: { readonly settings: readonly ResolvedSetting[] }): JSX.Element {
  return (
    <table className="w-full text-sm">
      <caption className="sr-only">Settings</caption>
      <thead>
        <tr className="text-left text-xs text-muted">
          <th scope="col" className="py-1 pr-3 font-medium">
            Setting
          </th>
          <th scope="col" className="py-1 pr-3 font-medium">
            Value
          </th>
          <th scope="col" className="py-1 font-medium">
            Reason
          </th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ name, value, reason }) => (
          <tr key={name} className="border-t border-line align-top">
            <th scope="row" className="py-1.5 pr-3 text-left font-normal">
              {SETTING_NAMES[name] ?? name.replaceAll('_', ' ')}
            </th>
            <td className="py-1.5 pr-3 tabular-nums wrap-anywhere">{settingText(name, value)}</td>
            <td className="py-1.5 text-muted wrap-anywhere">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
