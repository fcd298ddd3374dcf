import type { JSX } from 'react';
import { API_KEYS_SEARCH } from '../searches.js';
import { Page } from '../ui/page.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { DeploymentKeys } from './deployment-keys.js';
import { McpKeyCard } from './mcp-key-card.js';

export function ApiKeysScreen(): JSX.Element {
  const [{ tab }, set] = useUrlState(API_KEYS_SEARCH);
  return (
    <Page title="API Keys" about="Programs call your deployments with deployment keys. Agents manage them with the MCP key.">
      <Tabs
        label="Kinds of keys"
        value={tab}
        onChange={(next) => set({ tab: next })}
        items={[
          { value: 'mcp', label: 'MCP Key', href: '?tab=mcp', content: <McpKeyCard /> },
          { value: 'keys', label: 'Deployment Keys', href: '?tab=keys', content: <DeploymentKeys /> },
        ]}
      />
    </Page>
  );
}
