// AgenticAI's snippets for KnowledgeStateManager, line by line.
import {
  IndexingStatus,
  KnowledgeStateManager,
  SyncStatus,
  type ReportedProgress,
  type ReportedSource,
} from 'statek/state';

export async function knowledge(folder: string): Promise<void> {
  const kbState = new KnowledgeStateManager({ persistence: 'sqlite', filePath: folder });

  const progress: ReportedProgress = {
    knowledgeBaseId: 'company_docs',
    status: IndexingStatus.IN_PROGRESS,
    totalDocuments: 1000,
    processedDocuments: 450,
    failedDocuments: 5,
    startedAt: new Date(),
  };
  await kbState.updateIndexingProgress(progress);
  const current = await kbState.getIndexingProgress('company_docs');
  console.log(`Progress: ${current?.processedDocuments}/${current?.totalDocuments}`);
  console.log(`Failed: ${current?.failedDocuments}`);

  const sourceState: ReportedSource = {
    sourceId: 'confluence_docs',
    knowledgeBaseId: 'company_docs',
    syncStatus: SyncStatus.SYNCING,
    lastSync: new Date(Date.now() - 3_600_000),
    documentsSynced: 250,
    documentsPending: 50,
    // Sums of a knowledge base are those of its sources.
    embeddings: 1200,
    storageBytes: 3 * 2 ** 20,
  };
  await kbState.updateSourceState(sourceState);
  for (const source of await kbState.getSources('company_docs'))
    console.log(`${source.sourceId}: ${source.syncStatus}`);

  const overview = await kbState.getKnowledgeBaseState('company_docs');
  console.log(`Total Documents: ${overview?.totalDocuments}`);
  console.log(`Total Embeddings: ${overview?.totalEmbeddings}`);
  console.log(`Last Updated: ${overview?.lastUpdated === undefined ? 'never' : 'just now'}`);
  console.log(`Storage Size: ${overview?.storageSizeMb}MB`);
  await kbState.close();
}
