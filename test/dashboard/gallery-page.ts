import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { ConsoleBrowser } from './console-browser.js';

const DASHBOARD = fileURLToPath(new URL('../../apps/dashboard', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** What the console allows its pages. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; object-src 'none'; base-uri 'none'";

/** The gallery of parts, built as production is and served under the policy of the console. */
export class GalleryPage {
  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async start(): Promise<GalleryPage> {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-gallery-'));
    const input = join(DASHBOARD, 'gallery.html');
    await build({
      root: DASHBOARD,
      logLevel: 'error',
      build: { outDir: folder, emptyOutDir: true, minify: false, rolldownOptions: { input } },
    });
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://gallery').pathname;
      readFile(join(folder, path)).then(
        (bytes) => {
          response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream');
          response.setHeader('content-security-policy', POLICY);
          response.end(bytes);
        },
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new GalleryPage(server, folder);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Gives each test of a file a fresh page of the gallery; an error that the page logs fails the test. */
export function eachInGallery(take: (page: Page) => void, options?: BrowserContextOptions): void {
  let gallery: GalleryPage;
  let browser: ConsoleBrowser;
  let page: Page;
  beforeAll(async () => {
    gallery = await GalleryPage.start();
    browser = await ConsoleBrowser.start(gallery.url);
  }, 120_000);
  afterAll(async () => {
    await browser?.end();
    await gallery?.end();
  });
  beforeEach(async () => {
    page = await browser.person(options);
    page.setDefaultTimeout(10_000);
    take(page);
  });
  afterEach(async () => {
    await page.context().close();
    expect(browser.faults).toEqual([]);
  });
}

/** Opens a part of the gallery. @param query further parameters, from their `&` on */
export async function openPart(page: Page, part: string, query = ''): Promise<void> {
  await page.goto(`/gallery.html?part=${part}${query}`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
}
