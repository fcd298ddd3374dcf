import { useNavigate, useSearch } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useAccount } from '../session/use-session.js';
import { Page } from '../ui/page.js';
import { Tabs } from '../ui/tabs.js';
import { DeploymentKeys } from './deployment-keys.js';
import { McpKeyCard } from './mcp-key-card.js';

export function ApiKeysScreen(): JSX.Element {
  const { tab } = useSearch({ from: '/inside/$account/api-keys' });
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  return (
    <Page wide title="API Keys" about="Programs call your deployments with deployment keys. Agents manage them with the MCP key.">
      <Tabs
        label="Kinds of keys"
        value={tab ?? 'deployment'}
        onChange={(value) =>
          void navigate({ to: '/$account/api-keys', params: { account }, search: value === 'mcp' ? { tab: 'mcp' } : {}, replace: true })
        }
        items={[
          { value: 'mcp', label: 'MCP Key', content: <McpKeyCard /> },
          { value: 'deployment', label: 'Deployment Keys', content: <DeploymentKeys /> },
        ]}
      />
    </Page>
  );
}
