import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAddresses } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { Chip } from '../ui/chip.js';
import { CopyField } from '../ui/copy-field.js';
import { KeyValues } from '../ui/key-values.js';
import { Panel } from '../ui/page.js';

/** The account, and the addresses that its clients need. */
export function GeneralTab(): JSX.Element {
  const { slug, role } = useAccount();
  const addresses = useAddresses();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Panel title="Account">
        <KeyValues
          facts={[
            ['Account', <code key="slug">{slug}</code>],
            [
              'Your role',
              <span key="role">
                {role.charAt(0).toUpperCase() + role.slice(1)}
                {' · '}
                <Link to="/$account/members" params={{ account: slug }} className="text-accent hover:underline">
                  Members
                </Link>
              </span>,
            ],
            ['Environment', addresses ? <Chip key="environment" text={addresses.environment} /> : '–'],
            ['Slipway version', addresses ? <span key="version">{addresses.version}</span> : '–'],
          ]}
        />
        <p className="text-xs text-muted">Keys work only in this environment.</p>
      </Panel>
      {addresses && (
        <Panel title="Addresses" about="Add a deployment’s slug or alias to the base URL.">
          <CopyField label="Base URL" value={addresses.gateway_url} />
          <CopyField label="MCP server" value={`${window.location.origin}/mcp`} />
        </Panel>
      )}
    </div>
  );
}
