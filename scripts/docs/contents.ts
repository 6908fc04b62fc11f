// The table of contents: which pages there are and in which order people meet them. The site's menus, llms.txt and the list in
// docs/README.md follow it; a test compares them.

export interface Section {
  readonly title: string;
  /** What the pages have in common, for the list in docs/README.md and llms.txt. */
  readonly about: string;
  readonly pages: readonly ContentsPage[];
}

export interface ContentsPage {
  /** The name in menus. */
  readonly title: string;
  /** Relative to docs/. */
  readonly path: string;
}

const page = (title: string, path: string): ContentsPage => ({ title, path });

export const contents: readonly Section[] = [
  {
    title: 'Start',
    about: 'From nothing to a program that survives, and what to read next.',
    pages: [
      page('Five minutes', 'getting-started.md'),
      page('How it works, in three pictures', 'start/how-it-works.md'),
      page('Choose what you need', 'start/choose.md'),
    ],
  },
  {
    title: 'Guides',
    about: 'One task each, with code to copy.',
    pages: [
      page('An agent on your objects', 'guides/agent-on-your-objects.md'),
      page('Ask a person', 'guides/ask-a-person.md'),
      page('Tools that must not happen twice', 'guides/effects-once.md'),
      page('Many workers', 'guides/many-workers.md'),
      page('Time travel', 'guides/time-travel.md'),
      page('Test an agent', 'guides/test-an-agent.md'),
      page('Put it into a web app', 'guides/web-app.md'),
      page('Agents that write Python', 'guides/python-agents.md'),
      page('Schedules', 'guides/schedules.md'),
      page('Costs and limits', 'guides/costs-and-limits.md'),
      page('Secrets', 'guides/secrets.md'),
      page('Deploy', 'guides/deploy.md'),
      page('Watch', 'guides/watch.md'),
      page('Back up', 'guides/back-up.md'),
      page('Upgrade', 'guides/upgrade.md'),
    ],
  },
  {
    title: 'Coming from',
    about: 'Their words and ours, side by side, and what they do that Statek does not.',
    pages: [
      page('STATEK (Python)', 'coming-from/statek-python.md'),
      page('agex', 'coming-from/agex.md'),
      page('AgenticAI', 'coming-from/agentic-ai.md'),
      page('LangGraph', 'coming-from/langgraph.md'),
      page('Temporal', 'coming-from/temporal.md'),
      page('DBOS', 'coming-from/dbos.md'),
      page('Mastra', 'coming-from/mastra.md'),
      page('Vercel AI SDK', 'coming-from/vercel-ai-sdk.md'),
    ],
  },
  {
    title: 'Reference',
    about: 'Every option and every rule, part by part.',
    pages: [
      page('Workspace', 'workspace.md'),
      page('Jobs', 'jobs.md'),
      page('Futures', 'futures.md'),
      page('Durable objects', 'objects.md'),
      page('Agents', 'agents.md'),
      page('What agents are told', 'prompts.md'),
      page('Python', 'python.md'),
      page('Models', 'models.md'),
      page('MCP', 'mcp.md'),
      page('Server', 'server.md'),
      page('Inspector', 'inspector.md'),
      page('Command line', 'cli.md'),
      page('Running workers', 'operations.md'),
      page('Store', 'store.md'),
      page('PostgreSQL', 'postgres.md'),
      page('Redis', 'redis.md'),
      page('State managers', 'state.md'),
      page('· Named values', 'state/manager.md'),
      page('· Agents', 'state/agents.md'),
      page('· Workflows', 'state/workflows.md'),
      page('· Teams', 'state/teams.md'),
      page('· Knowledge', 'state/knowledge.md'),
      page('· Tools', 'state/tools.md'),
      page('· Speech', 'state/speech.md'),
      page('· Names of AgenticAI', 'state/agentic-ai.md'),
      page('Errors', 'errors.md'),
    ],
  },
  {
    title: 'Inside',
    about: 'How it is built, and what each promise rests on.',
    pages: [
      page('Architecture', 'architecture.md'),
      page('Promises and their proofs', 'promises.md'),
      page('Features and their tests', 'features.md'),
      page('File formats', 'inside/file-formats.md'),
      page('Decisions', 'decisions/README.md'),
    ],
  },
];
