import { taskOf } from '@slipway/contracts/engines';
import { Link } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useAddresses } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { RequestCode } from '../snippets/request-code.js';
import { SelectField } from '../ui/field.js';
import { Panel } from '../ui/page.js';
import type { DeploymentDetails } from './deployment-details.js';
import { slugOf, targetOf } from './inference-target.js';

/** Where clients call a deployment, and the code for it. */
export function CodePanel({ deployment }: Pick<DeploymentDetails, 'deployment'>): JSX.Element | null {
  const { slug } = useAccount();
  const addresses = useAddresses();
  const [wanted, setWanted] = useState<string | null>(null);
  if (!addresses) return null;
  const names = [...deployment.aliases, slugOf(deployment)];
  const name = wanted !== null && names.includes(wanted) ? wanted : (names[0] ?? slugOf(deployment));
  const by = (
    <div className="w-56 max-w-full">
      <SelectField
        label="Call it by"
        bare
        choices={names.map((value) => ({ value, label: value === slugOf(deployment) ? value : `${slug}/${value}` }))}
        value={name}
        onChange={(event) => setWanted(event.target.value)}
      />
    </div>
  );
  return (
    <Panel title="Call it" {...(names.length > 1 && { actions: by })}>
      <RequestCode
        target={targetOf(addresses.gateway_url, slug, deployment, name === slugOf(deployment) ? null : name)}
        embeds={taskOf(deployment.caps) === 'embeddings'}
      />
      <p className="text-sm text-muted">
        Put a deployment key in place of YOUR_API_KEY:{' '}
        <Link to="/$account/api-keys" params={{ account: slug }} className="text-accent underline">
          create one
        </Link>
        .
      </p>
    </Panel>
  );
}
