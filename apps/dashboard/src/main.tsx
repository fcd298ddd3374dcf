import './styles.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.js';
import { router } from './router.js';
import { session } from './session/session.js';
import { TooltipLayer } from './ui/tooltip.js';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no place for the application.');

// What one person saw is not shown to the next one, nor what belongs to one account in another.
let shown: number | null = null;
session.subscribe(() => {
  const { state } = session;
  const account = state.kind === 'in' ? state.account.id : null;
  if (account !== shown) queryClient.clear();
  shown = account;
});

createRoot(element).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <TooltipLayer />
    </QueryClientProvider>
  </CSPProvider>,
);
