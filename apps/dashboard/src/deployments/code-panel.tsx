import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useAddresses } from '../api/use-addresses.js';
import { useAccount } from '../session/use-session.js';
import { CONTRACT_CHOICES, LANGUAGE_CHOICES } from '../snippets/code-choices.js';
import { baseUrlOf, type Contract, inferenceSnippet, type Language } from '../snippets/inference-snippets.js';
import { CodeBlock } from '../ui/code-block.js';
import { SelectField } from '../ui/field.js';
import { Panel } from '../ui/page.js';
import { slugOf, targetOf } from './inference-target.js';

/** Where clients call a deployment, and the code for it. */
export function CodePanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element | null {
  const { slug } = useAccount();
  const addresses = useAddresses();
  const [contract, setContract] = useState<Contract>('chat');
  const [language, setLanguage] = useState<Language>('curl');
  const [wanted, setWanted] = useState<string | null>(null);
  if (!addresses) return null;
  const names = [...deployment.aliases, slugOf(deployment)];
  const name = wanted !== null && names.includes(wanted) ? wanted : (names[0] ?? slugOf(deployment));
  const target = targetOf(addresses.gateway_url, slug, deployment, name === slugOf(deployment) ? null : name);
  return (
    <Panel title="Call it">
      <div className="grid gap-3 sm:grid-cols-3">
        <SelectField
          label="Under"
          choices={names.map((value) => ({ value, label: value === slugOf(deployment) ? value : `${slug}/${value}` }))}
          value={name}
          onChange={(event) => setWanted(event.target.value)}
        />
        <SelectField
          label="Contract"
          choices={CONTRACT_CHOICES}
          value={contract}
          onChange={({ target: { value } }) => setContract(value === 'messages' ? 'messages' : 'chat')}
        />
        <SelectField
          label="Language"
          choices={LANGUAGE_CHOICES}
          value={language}
          onChange={({ target: { value } }) => setLanguage(LANGUAGE_CHOICES.find((one) => one.value === value)?.value ?? 'curl')}
        />
      </div>
      <CodeBlock label="Base URL" text={baseUrlOf(target, contract)} />
      <CodeBlock label="First request" text={inferenceSnippet(contract, language, target)} />
      <p className="text-sm text-muted">
        <code className="font-mono">YOUR_API_KEY</code> is a deployment key;{' '}
        <Link to="/api-keys" className="text-accent underline">
          create one
        </Link>
        .
      </p>
    </Panel>
  );
}
