import { mkdir } from 'node:fs/promises';
import { FirstDay } from './first-day.mjs';
import { reviewAll, takeAll } from './shots.mjs';
import { Stage } from './stage.mjs';

/**
 * Takes pictures of a Slipway that it starts and ends.
 * @param {{ root: string, chromium: string, out: string, seconds: number, review: boolean }} options root = the repository,
 *   chromium = the browser's path, seconds = how long programs ask before
 */
export async function takePictures({ root, chromium, out, seconds, review }) {
  await mkdir(out, { recursive: true });
  const stage = await Stage.start(root, chromium);
  try {
    const day = new FirstDay(stage);
    await day.begin(seconds);
    const names = await (review ? reviewAll(day, out) : takeAll(day, out));
    console.log(`${names.length} pictures are in ${out}.`);
  } finally {
    await stage.end();
  }
}
