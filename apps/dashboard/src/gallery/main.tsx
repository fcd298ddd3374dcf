import '../styles.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/query-client.js';
import { TooltipLayer } from '../ui/tooltip.js';
import { parseSearch, stringifySearch } from '../url-state/search-codec.js';
import { Gallery } from './gallery.js';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no place for the gallery.');

// Parts keep their state in the address, as they do on screens. Every path shows the gallery.
const root = createRootRoute({ component: Gallery, notFoundComponent: () => null });
const router = createRouter({ routeTree: root, parseSearch, stringifySearch });

createRoot(element).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <TooltipLayer />
    </QueryClientProvider>
  </CSPProvider>,
);
