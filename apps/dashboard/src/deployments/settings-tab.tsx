import type { JSX } from 'react';
import { useMayChange } from '../session/use-session.js';
import { Notice } from '../ui/notice.js';
import { AliasesPanel } from './aliases-panel.js';
import type { DeploymentDetails } from './deployment-details.js';
import { NamePanel, ReplicasPanel } from './name-and-replicas.js';
import { ServingPanel } from './serving-panel.js';

export function SettingsTab({ details }: { readonly details: DeploymentDetails }): JSX.Element {
  const { deployment, revisions } = details;
  const newest = revisions[0];
  if (!useMayChange()) return <Notice look="info">Members and owners of the account change settings here.</Notice>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-2">
      <AliasesPanel deployment={deployment} />
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-5">
        <NamePanel deployment={deployment} />
        <ReplicasPanel deployment={deployment} />
      </div>
      {newest && (
        <div className="lg:col-span-2">
          <ServingPanel key={newest.rev} id={deployment.id} revision={newest} />
        </div>
      )}
    </div>
  );
}
