import type { JSX } from 'react';
import { AccountLimits } from '../api-keys/account-limits.js';
import { useAddresses } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { CopyButton } from '../ui/copy-button.js';
import { Page, Panel } from '../ui/page.js';

/** What holds for the whole account. The operator changes it; here it is read. */
export function SettingsScreen(): JSX.Element {
  const { slug, role } = useAccount();
  const addresses = useAddresses();
  return (
    <Page title="Settings">
      <Panel title="General">
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
          <dt className="text-muted">Account</dt>
          <dd>{slug}</dd>
          <dt className="text-muted">Your role</dt>
          <dd>{role}</dd>
          <dt className="text-muted">Environment</dt>
          <dd>{addresses?.environment ?? '–'}</dd>
          <dt className="text-muted">Base URL</dt>
          <dd className="flex flex-wrap items-center gap-2">
            {addresses ? (
              <>
                <code>{addresses.gateway_url}/v1</code>
                <CopyButton text={`${addresses.gateway_url}/v1`} look="quiet" />
              </>
            ) : (
              '–'
            )}
          </dd>
        </dl>
      </Panel>
      <AccountLimits />
    </Page>
  );
}
