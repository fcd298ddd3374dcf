import { sharePostgres } from '@slipway/testing';

let stop: (() => Promise<void>) | undefined;

/** Before the first file of a run: starts what all files share. */
export async function setup(): Promise<void> {
  stop = await sharePostgres();
}

/** After the last file of a run. */
export async function teardown(): Promise<void> {
  await stop?.();
}
