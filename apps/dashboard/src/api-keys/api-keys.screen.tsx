import { type JSX, lazy, Suspense } from 'react';
import { API_KEYS_SEARCH } from '../searches.js';
import { Page } from '../ui/page.js';
import { Skeleton } from '../ui/skeleton.js';
import { Tabs } from '../ui/tabs.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { DeploymentKeys } from './deployment-keys.js';

const McpTab = lazy(async () => ({ default: (await import('./mcp-tab.js')).McpTab }));

export function ApiKeysScreen(): JSX.Element {
  const [{ tab, create }, set] = useUrlState(API_KEYS_SEARCH);
  const mcp = (
    <Suspense fallback={<Skeleton shape="form" what="MCP key" />}>
      <McpTab />
    </Suspense>
  );
  return (
    <Page title="API Keys" about="Programs call your deployments with deployment keys. Agents manage them with the MCP key.">
      <Tabs
        label="Kinds of keys"
        // A link to a new key names no tab.
        value={create ? 'keys' : tab}
        onChange={(next) => set({ tab: next })}
        items={[
          { value: 'mcp', label: 'MCP Key', href: '?tab=mcp', content: mcp },
          { value: 'keys', label: 'Deployment Keys', href: '?tab=keys', content: <DeploymentKeys /> },
        ]}
      />
    </Page>
  );
}
