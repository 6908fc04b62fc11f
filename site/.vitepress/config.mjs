// The site: menus come from the table of contents, anchors are those of code hosts, search is local. Nothing is loaded from elsewhere.
import { existsSync, readFileSync } from 'node:fs';
import { slug } from '../../scripts/docs/links.ts';

const pages = process.env.STATEK_SITE_PAGES ?? '.pages';
const file = new URL(`../${pages}/menus.json`, import.meta.url);
const menus = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { guide: [], reference: [], examples: [] };
const [start] = menus.guide;

/**
 * Who searches for a task wants the page about it first; a code of an error is found by its own words in any case. It is sent to the
 * page as text, so it can use nothing from outside of itself.
 */
function boostDocument(id) {
  const weights = { '/reference/': 0.4, '/errors.html': 0.6, '/guides/': 1.4, '/start/': 1.4 };
  return Object.entries(weights).find(([part]) => String(id).includes(part))?.[1] ?? 1;
}

export default {
  title: 'Statek',
  description: 'A durable workspace for LLM agents',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  base: process.env.STATEK_SITE_BASE ?? '/',
  srcDir: pages,
  outDir: process.env.STATEK_SITE_OUTPUT ?? 'dist',
  cleanUrls: false,
  lastUpdated: false,
  // Otherwise each page has a list of all pages in it.
  metaChunk: true,
  markdown: {
    anchor: { slugify: slug },
    toc: { slugify: slug },
    headers: { slugify: slug },
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  vite: { build: { chunkSizeWarningLimit: 4000 }, logLevel: 'warn' },
  themeConfig: {
    siteTitle: 'Statek',
    nav: [
      { text: 'Start', link: start?.items[0].link ?? '/' },
      { text: 'Guides', link: '/guides/agent-on-your-objects' },
      { text: 'Examples', link: '/repository/examples/' },
      { text: 'Reference', link: '/workspace' },
      ...(menus.reference.length > 0 ? [{ text: 'API', link: '/reference/' }] : []),
      { text: 'Errors', link: '/errors' },
    ],
    sidebar: {
      '/reference/': menus.reference,
      '/repository/examples/': menus.examples,
      '/': menus.guide,
    },
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: { boostDocument },
        },
      },
    },
    docFooter: { prev: 'Before', next: 'Next' },
  },
};
