import './styles.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.js';
import { router } from './router.js';
import { session } from './session/session.js';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no place for the application.');

// What one person saw is not shown to the next one.
session.subscribe(() => {
  if (session.state.kind === 'out') queryClient.clear();
});

createRoot(element).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </CSPProvider>,
);
