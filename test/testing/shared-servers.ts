import { hasSharedPostgres, sharePostgres } from '@slipway/testing';

let stop: (() => Promise<void>) | undefined;

/** Before the first file of a run: starts what all files share. Each project of vitest calls it, all before the first file. */
export async function setup(): Promise<void> {
  if (!hasSharedPostgres()) stop = await sharePostgres();
}

/** After the last file of a run. */
export async function teardown(): Promise<void> {
  await stop?.();
}
