import type { Series } from '../messages.js';
import { SeriesRun } from './series-run.js';

/** The clients, in a process of their own: their cost counts in no figure. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', ({ id, series }: { id: number; series: readonly Series[] }) => {
  Promise.all(series.map((one) => new SeriesRun(one).run())).then(
    (results) => process.send?.({ results, id }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.send?.({ ready: true });
