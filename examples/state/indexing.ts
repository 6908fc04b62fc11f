// Company documents are indexed: a run that is interrupted, its continuation, a document that cannot be read, and a search.
import { KnowledgeStateManager, type SourceItem } from 'statek/state';

const pages: SourceItem[] = Array.from({ length: 200 }, (_, index) => ({
  id: `page-${index}`,
  title: `Page ${index}`,
  content: index === 42 ? 'Trips by night train are paid in advance.' : `Rule number ${index} of the house.`,
}));

export async function companyDocuments(folder: string): Promise<void> {
  let knowledge = new KnowledgeStateManager({ store: folder });
  const interruption = new AbortController();
  let embedded = 0;
  await knowledge
    .index(
      'handbook',
      pages,
      async (_page) => {
        if (++embedded === 120) interruption.abort(new Error('The machine is shut down.'));
        return { embeddings: 1 };
      },
      { knowledgeBase: 'company', signal: interruption.signal, concurrency: 1 },
    )
    .catch((error: unknown) => console.log((error as Error).message));
  await knowledge.close();

  knowledge = new KnowledgeStateManager({ store: folder });
  const progress = await knowledge.getIndexingProgress('company');
  const isPartial = (progress?.processedDocuments ?? 0) < pages.length;
  console.log(`${progress?.status}: ${isPartial ? 'some' : 'all'} of ${progress?.totalDocuments} documents`);

  // The same call goes on where it was. A page that fails is tried again by the next run.
  let isBroken = true;
  const index = (): Promise<unknown> =>
    knowledge.index(
      'handbook',
      pages,
      async ({ id }) => {
        if (isBroken && id === 'page-199') throw new Error('This page cannot be read.');
        return { embeddings: 1 };
      },
      { knowledgeBase: 'company' },
    );
  await index();
  for (const { sourceId, syncStatus, documentsSynced, documentsFailed } of await knowledge.getSources('company'))
    console.log(`${sourceId}: ${syncStatus}, ${documentsSynced} synced, ${documentsFailed} failed`);
  isBroken = false;
  console.log('once more:', await index());

  const { results } = await knowledge.search('company', 'who pays the train?', { limit: 1 });
  console.log(results.map(({ itemId, snippet }) => `${itemId}: ${snippet}`));
  const base = await knowledge.getKnowledgeBaseState('company');
  console.log(`${base?.totalDocuments} documents, ${base?.totalEmbeddings} embeddings, ${base?.indexing.status}`);
  await knowledge.close();
}
