import { QueryClient } from '@tanstack/react-query';
import { ConsoleError } from './console-error.js';

const RETRIES = 2;

/** Asked again where that may help; a question of another session is never answered from memory. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      retry: (count, error) => count < RETRIES && error instanceof ConsoleError && error.isPassing,
    },
    mutations: { networkMode: 'always', gcTime: 0, retry: false },
  },
});
