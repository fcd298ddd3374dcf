import type { ConsoleReply, ModelView } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ListPage, useAll } from '../api/use-all.js';

const FRESH_MS = 30_000;

const pageOf = ({ models, next }: ConsoleReply<'models/list'>): ListPage<'models/list', ModelView> => ({
  rows: models,
  next: next == null ? null : { after: next },
});

/** Every model that the account can name. */
export const useModels = (): UseQueryResult<readonly ModelView[]> => useAll('models/list', {}, pageOf, { staleMs: FRESH_MS });
