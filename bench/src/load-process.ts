import type { Series } from './messages.js';
import { SeriesRun } from './series-run.js';

/** The clients, in a process of their own: their cost counts in no figure. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', ({ id, series }: { id: number; series: Series }) => {
  new SeriesRun(series).run().then(
    (result) => process.send?.({ ...result, id }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.send?.({ ready: true });
