// Agents read documents out of the index of a knowledge base, which the application searches, too; only those for their role.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Agent, Models, Statek } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';

const items = [
  {
    id: 'trains',
    title: 'Booking trains',
    content: 'Book early.\nTrains leave from platform nine.',
    metadata: { topic: 'Travel', ord_no: 2 },
  },
  { id: 'flights', title: 'Booking flights', content: 'Fly late.', metadata: { topic: 'Travel', ord_no: 1 } },
  {
    id: 'salaries',
    title: 'Salaries',
    content: 'Trains of thought about money.',
    metadata: { audience: 'boss, owner' },
  },
  { id: 'plan', content: 'The plan with trains.', metadata: { audience: ['boss'] } },
  { id: 'mistake', content: 'A mistake about trains.', metadata: { audience: 7 } },
];

describe.each(['typescript', 'python'] as const)('%s', (language) => {
  const code = (typescript: string, python: string): string =>
    language === 'python' ? `\`\`\`python\n${python}\n\`\`\`` : `\`\`\`ts\n${typescript}\n\`\`\``;

  async function told(
    role: string,
    typescript: string,
    python: string,
    all: readonly (typeof items)[number][] | object[] = items,
  ) {
    const agent = new Agent({ role, language, metadata: { MODEL: 'script' } });
    const script = scriptedModel([code(`exit(${typescript})`, `exit(${python})`)]);
    const kit = await Statek.open({
      store: 'memory:',
      agents: [agent],
      models: new Models({ models: { script }, env: {} }),
      settings: { knowledgeBase: 'company' },
    });
    onTestFinished(() => kit.close());
    if (all.length > 0)
      await kit.knowledge.index('handbook', all as typeof items, undefined, { knowledgeBase: 'company' });
    const job = await kit.submit(agent, { message: 'Look.' });
    return job.result();
  }

  it('lists, shows and searches what is indexed, for its role', { timeout: 120_000 }, async () => {
    const looking = [
      '[await listOfDocuments(), await showDocument("Booking trains", { startFrom: 2 }), await showDocument(1), await searchDocuments("trains"), await searchDocuments("trains", { topic: "handbook" })]',
      '[list_of_documents(), show_document("Booking trains", start_from=2), show_document(1), search_documents("trains"), search_documents("trains", topic="handbook")]',
    ] as const;
    const none = 'No document has these words. listOfDocuments() lists those there are.';
    expect(await told('clerk', ...looking)).toEqual([
      'Travel:\n1. Booking flights\n2. Booking trains',
      'Trains leave from platform nine.',
      'Fly late.',
      "'Booking trains' (Travel): Book early. Trains leave from platform nine.",
      none,
    ]);
    const [list, , , found] = (await told('boss', ...looking)) as string[];
    expect(list).toBe('Travel:\n1. Booking flights\n2. Booking trains\nhandbook:\n- Salaries\n- plan');
    expect(
      found
        ?.split('\n')
        .map((line) => line.split(':')[0])
        .toSorted(),
    ).toEqual(["'Booking trains' (Travel)", "'Salaries' (handbook)", "'plan' (handbook)"]);
  });

  it('finds what is too much to list, and says so', { timeout: 120_000 }, async () => {
    const many = Array.from({ length: 600 }, (_, index) => ({
      id: `page ${index}`,
      title: `Chapter ${index} of wood${index}`,
      content: `Text ${index}`,
      // The best of a search are for others.
      metadata: index < 40 ? { audience: 'boss' } : {},
    }));
    const [list, shown, found] = (await told(
      'clerk',
      '[await listOfDocuments(), await showDocument("Chapter 599 of wood599"), await searchDocuments("chapter", { limit: 3 })]',
      '[list_of_documents(), show_document("Chapter 599 of wood599"), search_documents("chapter", limit=3)]',
      many,
    )) as string[];
    expect(list?.split('\n')).toHaveLength(1 + 460 + 1);
    expect(list).toContain('… and others, which searchDocuments() finds.');
    expect(shown).toBe('Text 599');
    expect(found?.split('\n')).toHaveLength(3);
    expect(found).not.toMatch(/Chapter [1-3]?\d of/);
  });
});

it('has no documents where nothing is indexed yet, and takes one place for them', async () => {
  const agent = new Agent({ role: 'clerk', metadata: { MODEL: 'script' } });
  const script = scriptedModel(['```ts\nexit([await listOfDocuments(), await searchDocuments("x")])\n```']);
  const options = { store: 'memory:', agents: [agent], models: new Models({ models: { script }, env: {} }) };
  const kit = await Statek.open({ ...options, settings: { knowledgeBase: 'company' } });
  onTestFinished(() => kit.close());
  expect(await (await kit.submit(agent, { message: 'Look.' })).result()).toEqual([
    'There are no documents.',
    'No document has these words. listOfDocuments() lists those there are.',
  ]);
  await expect(
    Statek.open({ ...options, settings: { knowledgeBase: 'company', documents: 'documents' } }),
  ).rejects.toMatchObject({ code: 'SETTINGS' });
});
