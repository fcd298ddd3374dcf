import type { JSX } from 'react';
import { LimitsHeld } from '../api-keys/key-limits-tab.js';
import { useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { CopyField } from '../ui/copy-field.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';

/** What all keys of the account may use together, and what they used. */
export function LimitsTab(): JSX.Element {
  const { slug } = useAccount();
  const found = useCall('account-limits/find', {}, { every: () => 15_000 });
  return (
    <Loaded query={found} what="Account limits" shape="form">
      {({ limits, used }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <Panel title="Account limits" about="Shared by all keys, in addition to each key’s own limits. Days and months are UTC.">
            <LimitsHeld limits={limits} of="the account" usedOf={(name) => used?.[name]} />
          </Panel>
          <Panel title="Change limits" about="Only the operator can change these, on the command line.">
            <CopyField bare label="Command" value={`npx slipway accounts limits ${slug} --tokens-per-month 50000000`} />
          </Panel>
        </div>
      )}
    </Loaded>
  );
}
