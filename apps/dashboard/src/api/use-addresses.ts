import { useQuery } from '@tanstack/react-query';
import { people } from './people-api.js';

/** Where clients call the inference API, and in which environment; null until it is known. */
export function useAddresses(): { readonly gateway_url: string; readonly environment: string } | null {
  const { data } = useQuery({ queryKey: ['addresses'], queryFn: people.addresses, staleTime: Number.POSITIVE_INFINITY });
  return data ?? null;
}
