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
    <Loaded query={found} what="Limits of the account" shape="form">
      {({ limits, used }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <Panel title="Limits of the account" about="All keys share them, beside the limits of each key. Days and months are UTC.">
            <LimitsHeld limits={limits} of="the account" usedOf={(name) => used?.[name]} />
          </Panel>
          <Panel title="Change them" about="The operator sets the limits of an account on the command line.">
            <CopyField bare label="Command" value={`npx slipway accounts limits ${slug} --tokens-per-month 50000000`} />
          </Panel>
        </div>
      )}
    </Loaded>
  );
}
