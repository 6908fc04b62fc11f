// Builds the inspector into web/dist, from where it is served in the repository, if its sources have changed; `npm run build:web`.
import { upToDateInspector } from './support/inspector.ts';
import { main } from './support/run.ts';

await main(upToDateInspector);
