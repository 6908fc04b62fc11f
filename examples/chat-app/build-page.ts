// Builds the page with Vite. While you work on a page, run Vite's own server and let it pass /statek on.
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

export async function buildPage(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: join(import.meta.dirname, 'page'),
    base: './',
    logLevel: 'warn',
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 2000 },
  });
}
