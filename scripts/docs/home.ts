// The first page of the site: docs/README.md below a few words in large letters, which a code host would not show as such.

const front = {
  layout: 'home',
  hero: {
    name: 'Statek',
    text: 'A durable workspace for LLM agents',
    tagline: 'An agent’s program never dies, never lies and never escapes.',
    actions: [
      { theme: 'brand', text: 'Five minutes', link: '/getting-started' },
      { theme: 'alt', text: 'How it works', link: '/start/how-it-works' },
      { theme: 'alt', text: 'Guides', link: '/guides/agent-on-your-objects' },
    ],
  },
  features: [
    {
      title: 'Never dies',
      details:
        'It suspends inside any code, in TypeScript or Python. Kill its process, and another one goes on, on the same line.',
      link: '/start/how-it-works',
    },
    {
      title: 'Never lies',
      details:
        'Variables, your objects, console, chat and tool calls are committed together or not at all. Any commit can be read and forked.',
      link: '/guides/time-travel',
    },
    {
      title: 'Never escapes',
      details:
        'Guest code reaches only what you hand it, always stops at its limits, and asks a person where you say so.',
      link: '/guides/ask-a-person',
    },
  ],
};

/** JSON is YAML, so the front matter needs no library. */
export function homePage(text: string): string {
  const picture = '![A program waits, its process is killed, another process goes on](./pictures/kill-and-resume.svg)';
  return `---\n${JSON.stringify(front, null, 2)}\n---\n\n${text.replace(/^# .*\n/, `${picture}\n`)}`;
}
