import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type PreviewServer } from 'vite';

const ROOT = fileURLToPath(new URL('../../apps/dashboard', import.meta.url));
const CONFIG = { root: ROOT, configFile: join(ROOT, 'vite.config.ts'), logLevel: 'error' } as const;
/** As the console's pages get it: no part may need more. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'";

/** The gallery of the dashboard's parts, built into a folder of its own and served under the console's policy. */
export class Gallery {
  private constructor(
    private readonly folder: string,
    private readonly server: PreviewServer,
    /** `http://127.0.0.1:port` */
    readonly url: string,
  ) {}

  static async start(): Promise<Gallery> {
    const outDir = await mkdtemp(join(tmpdir(), 'slipway-gallery-'));
    try {
      await build({ ...CONFIG, build: { outDir, emptyOutDir: true, rolldownOptions: { input: join(ROOT, 'gallery.html') } } });
      const server = await preview({
        ...CONFIG,
        build: { outDir },
        preview: { host: '127.0.0.1', port: 0, headers: { 'content-security-policy': POLICY } },
      });
      const address = server.httpServer.address();
      if (address === null || typeof address === 'string') throw new Error('The gallery listens on no port.');
      return new Gallery(outDir, server, `http://127.0.0.1:${address.port}`);
    } catch (error) {
      await rm(outDir, { recursive: true, force: true });
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
