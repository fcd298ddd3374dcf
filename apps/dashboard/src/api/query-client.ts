import { QueryClient } from '@tanstack/react-query';
import { ConsoleError } from './console-error.js';

const RETRIES = 2;
/** A question that failed for a passing reason is asked again so long after, in milliseconds. */
const AGAIN_MS = 5_000;

/** When a question that failed is asked again by itself; false = never. */
export const againAfter = (error: unknown): number | false => (error instanceof ConsoleError && error.isPassing ? AGAIN_MS : false);

/** Asked again where that may help; a question of another session is never answered from memory. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      refetchInterval: ({ state }) => againAfter(state.error),
      retry: (count, error) => count < RETRIES && error instanceof ConsoleError && error.isPassing,
    },
    mutations: { networkMode: 'always', gcTime: 0, retry: false },
  },
});
